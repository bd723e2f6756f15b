import { z } from 'zod'
import type { ConnectionGuide } from '../contract.ts'
import { PspError } from '../errors.ts'

/** Secret payload of PUBLIC_SECRET_KEY: `secretKey` is Braintree's private key. */
export interface BraintreeSecret {
  publicKey?: string | undefined
  secretKey: string
}

export const braintreeSecret = z.looseObject({
  publicKey: z.string().trim().max(255).optional().meta({
    title: 'Public Key',
    description: 'Settings › API › API Keys. Copy both keys from the same row.',
  }),
  secretKey: z.string().trim().min(1).max(255).meta({
    title: 'Private Key',
    description: 'In the same row: View.',
  }),
})

/** Words for people who connect an account. */
export const guide: ConnectionGuide = {
  identifier: {
    title: 'Merchant ID',
    description: 'Of the gateway: Settings › Business › Merchant ID. Not a merchant account.',
    example: 'j6k8xk2p4v5z7t9q',
  },
  needs: ['publicKey'],
  permissions: ['Disputes: view', 'Disputes: manage and contest', 'Merchant accounts: view (optional)'],
  webhook: {
    where: 'Settings › API › Webhooks › Create new webhook, within a day after you connected the account',
    events: ['all dispute events'],
  },
}

/** @throws PspError config_invalid for invalid keys or an invalid merchant id */
export function checkConfiguration(configuration: { secret: BraintreeSecret; externalIdentifier: string }): void {
  const { publicKey = '', secretKey } = configuration.secret
  if (publicKey === '') {
    throw new PspError('config_invalid', 'Braintree needs publicKey with secretKey. Copy both from one API key.')
  }
  // The public key is the user name in Basic authentication, which must not contain a colon.
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(publicKey)) {
    throw new PspError(
      'config_invalid',
      'publicKey holds characters that no public key of Braintree has. Copy it again.',
    )
  }
  if (!/^[\x21-\x7e]+$/.test(secretKey)) {
    throw new PspError(
      'config_invalid',
      'secretKey holds characters that no private key of Braintree has. Copy it again.',
    )
  }
  if (/^access_token\$/.test(secretKey) || /^client_(id|secret)\$/.test(secretKey)) {
    throw new PspError(
      'config_invalid',
      'OAuth tokens of Braintree are not supported. Use the private key of an API key.',
    )
  }
  if (!/^[A-Za-z0-9_-]+$/.test(configuration.externalIdentifier)) {
    throw new PspError(
      'config_invalid',
      'externalIdentifier is the merchant id of the Braintree gateway (letters, digits, - and _), not a merchant account.',
    )
  }
}
