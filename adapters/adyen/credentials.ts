import type { CredentialReport } from '../contract.ts'
import type { AdyenClient } from './client.ts'

/** A reference that no dispute has. */
const NOBODY = '0000000000000000'

/**
 * Requests the defence reasons of a dispute that does not exist: Adyen checks the key and its role first. A wrong HMAC
 * key can't be detected before the first notification.
 * @throws PspError auth_failed, permission_missing (no role "API dispute management"), config_invalid
 */
export async function checkCredentials(client: AdyenClient): Promise<CredentialReport> {
  const known = await client.reachable(NOBODY)
  return {
    pspAccount: client.merchantAccount,
    mode: client.live ? 'live' : 'test',
    findings: [
      { permission: 'Role: API dispute management', state: 'ok', hint: known },
      {
        permission: 'Webhook: HMAC key',
        state: 'unverified',
        hint: 'It shows with the first notification. Set up a Standard webhook in JSON with HMAC on, all dispute events, and "Include originalReference for CHARGEBACK_REVERSED".',
      },
      {
        permission: 'Webhook: events and documents that support switches on',
        state: 'unverified',
        hint: 'Ask Adyen support for the events DISPUTE_DEFENSE_PERIOD_ENDED and ISSUER_RESPONSE_TIMEFRAME_EXPIRED, without which some ends are never told, and for the document type AlternativeDefenseMaterial, which suits every scheme.',
      },
      {
        permission: 'Webhook: card and shopper details',
        state: 'unverified',
        hint: 'Switch on card BIN, shopper details, addresses and ARN so that chargebacks can be enriched.',
      },
    ],
  }
}
