import { z } from 'zod'
import type { ConnectionGuide } from '../contract.ts'
import { PspError } from '../errors.ts'

/**
 * Secret payload of HMAC. `hmac` is the webhook's key in hex, or several separated by commas during a key change.
 * `webhookPassword` (with `webhookUsername`) is only for webhooks with Basic authentication.
 */
export interface AdyenSecret {
  hmac: string
  apiKey: string
  merchantCode?: string | undefined
  accountCode?: string | undefined
  webhookUsername?: string | undefined
  webhookPassword?: string | undefined
}

const name = z.string().trim().min(1).max(255)

export const adyenSecret = z.looseObject({
  hmac: z.string().trim().min(1).max(1000).meta({
    title: 'HMAC key',
    description: 'Developers › Webhooks › the Standard webhook › Security › HMAC key › Generate. 64 digits.',
  }),
  apiKey: z.string().trim().min(1).max(1000).meta({
    title: 'API key',
    description: 'Developers › API credentials › the credential › Authentication › API key › Generate.',
  }),
  merchantCode: name.optional().meta({
    title: 'Merchant account',
    description: 'Repeats the account of this integration.',
    deprecated: true,
  }),
  accountCode: name.optional().meta({
    title: 'Company account',
    description: 'For your own records only.',
    deprecated: true,
  }),
  webhookUsername: name.optional().meta({
    title: 'Webhook user name',
    description: 'Only if the webhook has Basic authentication: its User name.',
  }),
  webhookPassword: name.optional().meta({
    title: 'Webhook password',
    description: 'Only if the webhook has Basic authentication: its Password.',
  }),
})

/** Words for people who connect an account. */
export const guide: ConnectionGuide = {
  identifier: {
    title: 'Merchant account',
    description: 'Its name as the Customer Area shows it, capitals included; not the company account.',
    example: 'YourCompanyECOM',
  },
  permissions: ['Role: API dispute management'],
  webhook: {
    where: 'Developers › Webhooks › Standard webhook, method JSON. Required: Adyen has no list of disputes',
    events: [
      'all dispute events',
      'AUTHORISATION',
      'DISPUTE_DEFENSE_PERIOD_ENDED and ISSUER_RESPONSE_TIMEFRAME_EXPIRED (ask Adyen’s support)',
      'Additional settings: originalReference for CHARGEBACK_REVERSED, card BIN, shopper details, addresses, ARN',
    ],
  },
}

type Configuration = { secret: AdyenSecret; externalIdentifier: string }

/** @throws PspError config_invalid for an invalid key or name. */
export function checkConfiguration({ secret, externalIdentifier }: Configuration): void {
  // Node decodes invalid hex to an empty key, with which anybody could sign.
  if (hmacKeysOf(secret).length === 0 || !hmacKeysOf(secret).every((key) => /^([0-9a-f]{2}){16,}$/i.test(key))) {
    throw invalid('The HMAC key of an Adyen webhook is hex, 64 digits. Copy it from the webhook in the Customer Area.')
  }
  if (!/^[\x21-\x7e]+$/.test(secret.apiKey)) {
    throw invalid('The Adyen API key contains characters that no key has. Copy it again.')
  }
  const account = merchantAccountOf({ secret, externalIdentifier })
  if (!/^[\w.-]+$/.test(account)) {
    throw invalid('An Adyen merchant account name has letters, digits, _ and - only. It is no company account.')
  }
  if (secret.merchantCode !== undefined && externalIdentifier !== '' && secret.merchantCode !== externalIdentifier) {
    throw invalid('merchantCode and externalIdentifier name different merchant accounts. Connect each with its own.')
  }
}

function invalid(message: string): PspError {
  return new PspError('config_invalid', message)
}

/** Case-sensitive, as at Adyen. */
export function merchantAccountOf({ secret, externalIdentifier }: Configuration): string {
  return secret.merchantCode ?? externalIdentifier
}

export function hmacKeysOf({ hmac }: Pick<AdyenSecret, 'hmac'>): string[] {
  return hmac.split(',').map((key) => key.trim())
}
