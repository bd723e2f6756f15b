import { z } from 'zod'
import type { ConnectionGuide } from '../contract.ts'
import { PspError } from '../errors.ts'

/** Secret payload of BASIC_AUTH: the merchant's own REST app. `webhookId` is only for notifications. */
export interface PayPalSecret {
  clientId: string
  clientSecret: string
  webhookId?: string | undefined
}

export const paypalSecret = z.looseObject({
  clientId: z.string().trim().min(1).max(255).meta({
    title: 'Client ID',
    description: 'developer.paypal.com › Apps & Credentials › your REST app.',
  }),
  clientSecret: z.string().trim().min(1).max(255).meta({
    title: 'Secret key',
    description: 'In the same REST app, below the Client ID.',
  }),
  webhookId: z.string().trim().min(1).max(255).optional().meta({
    title: 'Webhook ID',
    description: 'In the same REST app, below Webhooks, next to the address of the webhook.',
  }),
})

/** Words for people who connect an account. */
export const guide: ConnectionGuide = {
  identifier: {
    title: 'Merchant ID',
    description: 'Account Settings › Business information › PayPal Merchant ID.',
    example: 'YV8ZKDGGZ3H4A',
  },
  permissions: ['Feature: Disputes', 'Feature: Transaction Search (optional)'],
  webhook: {
    where: 'developer.paypal.com › Apps & Credentials › your REST app › Webhooks › Add webhook',
    events: ['CUSTOMER.DISPUTE.CREATED', 'CUSTOMER.DISPUTE.UPDATED', 'CUSTOMER.DISPUTE.RESOLVED'],
  },
}

/** @throws PspError config_invalid for an invalid credential or identifier. */
export function checkConfiguration(configuration: { secret: PayPalSecret; externalIdentifier: string }): void {
  const { clientId, clientSecret, webhookId } = configuration.secret
  if (clientId.includes('@')) {
    throw new PspError('config_invalid', 'clientId is the id of a REST app at developer.paypal.com, not an e-mail.')
  }
  if (!/^[\w-]+$/.test(clientId)) {
    throw new PspError('config_invalid', 'A PayPal client id has letters, digits, - and _ only. Copy it again.')
  }
  if (!/^[\w-]+$/.test(clientSecret)) {
    throw new PspError('config_invalid', 'A PayPal client secret has letters, digits, - and _ only. Copy it again.')
  }
  if (clientId === clientSecret) {
    throw new PspError('config_invalid', 'clientId and clientSecret are the same. Copy both from the PayPal app.')
  }
  if (webhookId !== undefined && !/^[\w-]+$/.test(webhookId)) {
    throw new PspError('config_invalid', 'webhookId is the id that PayPal shows next to the webhook, not its address.')
  }
}
