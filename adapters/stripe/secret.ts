import { z } from 'zod'
import type { ConnectionGuide } from '../contract.ts'
import { PspError } from '../errors.ts'

/** Secret payload of APIKEY_ONLY. `webhookSecret` (whsec_…) is optional and only for notifications. */
export interface StripeSecret {
  apiKey: string
  webhookSecret?: string | undefined
}

export const stripeSecret = z.looseObject({
  apiKey: z.string().trim().min(1).max(255).meta({
    title: 'Restricted key',
    description: 'Developers › API keys › Create restricted key. It begins with rk; a secret key (sk) works too.',
  }),
  webhookSecret: z.string().trim().min(1).max(255).optional().meta({
    title: 'Signing secret',
    description:
      'Of the webhook endpoint: Developers › Webhooks › the endpoint › Signing secret. It begins with whsec.',
  }),
})

/** Words for people who connect an account. */
export const guide: ConnectionGuide = {
  identifier: {
    title: 'Account ID',
    description: 'Settings › Account details. It begins with acct_.',
    example: 'acct_1032D82eZvKYlo2C',
  },
  permissions: ['Disputes: write', 'Files: write', 'Charges: read (optional)', 'Account: read (optional)'],
  webhook: {
    where: 'Developers › Webhooks › Add endpoint',
    events: [
      'charge.dispute.created',
      'charge.dispute.updated',
      'charge.dispute.closed',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
    ],
  },
}

/** @throws PspError config_invalid for an invalid key or identifier. */
export function checkConfiguration(configuration: { secret: StripeSecret; externalIdentifier: string }): void {
  const { secret, externalIdentifier } = configuration
  const key = secret.apiKey
  if (key.startsWith('pk_')) {
    throw new PspError(
      'config_invalid',
      'This is a publishable Stripe key. Use a secret (sk_) or restricted (rk_) key.',
    )
  }
  if (key.startsWith('sk_org_')) {
    throw new PspError(
      'config_invalid',
      'Organisation keys of Stripe are not supported. Use a key of the account itself.',
    )
  }
  if (!/^(sk|rk)_(live|test)_[A-Za-z0-9]+$/.test(key)) {
    throw new PspError(
      'config_invalid',
      'This is no Stripe API key: those begin with sk or rk, then live or test. Copy it again.',
    )
  }
  if (secret.webhookSecret !== undefined && !/^whsec_\S+$/.test(secret.webhookSecret)) {
    throw new PspError(
      'config_invalid',
      'This is no signing secret of a Stripe webhook endpoint: those begin with whsec.',
    )
  }
  if (externalIdentifier.startsWith('acct_') && !/^acct_[\w-]+$/.test(externalIdentifier)) {
    throw new PspError('config_invalid', 'A Stripe account id is acct_ followed by letters, digits, - or _.')
  }
}
