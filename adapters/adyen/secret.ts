import { z } from 'zod'
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
  hmac: z.string().trim().min(1).max(1000),
  apiKey: z.string().trim().min(1).max(1000),
  merchantCode: name.optional(),
  accountCode: name.optional(),
  webhookUsername: name.optional(),
  webhookPassword: name.optional(),
})

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
