import type { CredentialReport } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../shared/raw-json.ts'
import type { BraintreeClient } from './client.ts'
import { isOfAccounts } from './fetch.ts'

/**
 * Checks a credential. A search without results proves keys, merchant and the permission to read disputes. The
 * permission to answer them can't be tested without effect: a view-only key passes here and fails on its first action.
 * The gateway itself compares the merchant id with the keys. The merchant accounts that the integration is limited to
 * are compared with the gateway's list, if the key may read it.
 * @throws PspError auth_failed, permission_missing, config_invalid (no such merchant, no such merchant account)
 */
export async function checkCredentials(
  client: BraintreeClient,
  configuration: { externalIdentifier: string; environment: 'sandbox' | 'production' },
): Promise<CredentialReport> {
  await searchNothing(client)
  const accounts = await merchantAccounts(client)
  if (accounts) checkCodes(client.merchantAccountCodes, accounts)
  return {
    pspAccount: configuration.externalIdentifier,
    // Keys don't show their environment, and live is never tried to find out.
    mode: configuration.environment === 'production' ? 'live' : 'test',
    findings: [
      { permission: 'Disputes: view', state: 'ok', hint: 'Disputes can be listed.' },
      {
        permission: 'Disputes: manage and contest',
        state: 'unverified',
        hint: 'Needed to accept and contest; not tried.',
      },
      accounts
        ? { permission: 'Merchant accounts: view', state: 'ok', hint: 'Merchant accounts can be listed.' }
        : {
            permission: 'Merchant accounts: view',
            state: 'unverified',
            hint: 'Optional: it names the merchant accounts, so that merchantAccountCodes are checked.',
          },
    ],
  }
}

async function searchNothing(client: BraintreeClient): Promise<void> {
  try {
    await client.read((gateway) =>
      gateway.http.post(`${gateway.config.baseMerchantPath()}/disputes/advanced_search?page=1`, {
        search: { id: { is: 'credential-check' } },
      }),
    )
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'not_found') throw error
    throw new PspError(
      'config_invalid',
      'Braintree knows no such merchant for this key pair. externalIdentifier is the merchant id of the gateway.',
    )
  }
}

/** Ids of all merchant accounts; null without the separate permission to list them. */
async function merchantAccounts(client: BraintreeClient): Promise<string[] | null> {
  const ids: string[] = []
  try {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const answer = await client.read((gateway) =>
        gateway.http.get(`${gateway.config.baseMerchantPath()}/merchant_accounts?page=${page}`),
      )
      const list = asRecord(answer.merchantAccounts)
      if (!list) return null
      const rows = [list.merchantAccount ?? []].flat().map((row) => asRecord(row)?.id)
      ids.push(...rows.filter((id) => typeof id === 'string'))
      if (rows.length === 0 || ids.length >= Number(list.totalItems ?? 0)) return ids
    }
    return null
  } catch (error) {
    // Optional: its errors do not invalidate the keys, which the search has proved.
    if (error instanceof PspError && !['auth_failed', 'rate_limited', 'unavailable'].includes(error.kind)) return null
    throw error
  }
}

const MAX_PAGES = 40
/** Number of ids that a sentence lists. */
const NAMED = 20

/** @throws PspError config_invalid for codes that the gateway doesn't have */
function checkCodes(codes: readonly string[], accounts: readonly string[]): void {
  const missing = codes.filter((code) => !isOfAccounts(accounts, code))
  if (missing.length === 0 || accounts.length === 0) return
  const shown = accounts.slice(0, NAMED).join(', ')
  const rest = accounts.length > NAMED ? ` and ${accounts.length - NAMED} more` : ''
  const [subject, them] = missing.length > 1 ? ['merchant accounts', 'them'] : ['merchant account', 'it']
  throw new PspError(
    'config_invalid',
    `The Braintree gateway has no ${subject} ${missing.join(', ')}. Replace ${them} in merchantAccountCodes. It has: ${shown}${rest}.`,
  )
}
