import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import { foreignAccount, verifySignature } from './client.ts'

/** Stripe's SDK rejects only old signatures; a signature from the future is rejected here. */
const TOLERANCE_SECONDS = 300

/** A time and a signature of the current scheme; Stripe adds those of older schemes. */
const SIGNATURE = /^(?=.*\bt=\d)(?=.*\bv1=[0-9a-f]{64}\b).{1,1000}$/

/** The signature is in a header; a request without it is not genuine. */
export const hasDeliveryHeaders = (headers: NotificationRequest['headers']): boolean =>
  SIGNATURE.test(headers['stripe-signature'] ?? '')

interface Endpoint {
  webhookSecret: string | undefined
  externalIdentifier: string
  pspAccount: string | null
  now: Date
}

/**
 * Verifies that the delivery comes from Stripe, for this endpoint and this account.
 * @throws PspError config_invalid without a signing secret, invalid_request for anything that is not genuine
 */
export function verifyNotification(endpoint: Endpoint, request: NotificationRequest): NotificationEnvelope {
  if (endpoint.webhookSecret === undefined) {
    throw new PspError(
      'config_invalid',
      'Add the signing secret of the endpoint as webhookSecret to the secret payload to receive notifications.',
    )
  }
  const header = headerOf(request, 'stripe-signature')
  if (header === undefined) throw foreign()
  verifySignature(request.body, header, endpoint.webhookSecret, endpoint.now)
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(header)?.[1])
  if (!(signedAt - endpoint.now.getTime() / 1000 <= TOLERANCE_SECONDS)) throw foreign()

  const event = parsed(request.body)
  const { id, type } = event
  if (typeof id !== 'string' || typeof type !== 'string') throw foreign()
  // A platform's endpoint receives the events of all its accounts, each with its account id.
  const account = event.account ?? endpoint.pspAccount
  const wanted = foreignAccount(endpoint) ?? endpoint.pspAccount
  if (account !== null && wanted !== null && account !== wanted) throw foreign()
  return { id, type, body: request.body }
}

/**
 * The disputes to read again. The event's content is ignored: it has the format of the endpoint's API version, and
 * deliveries come late, twice and out of order.
 */
export function readNotification(envelope: NotificationEnvelope): { references: string[] } {
  if (!envelope.type.startsWith('charge.dispute.')) return { references: [] }
  const id = at(parsed(envelope.body), 'data.object.id')
  return { references: typeof id === 'string' && /^(du|dp)_\w+$/.test(id) ? [id] : [] }
}

function foreign(): PspError {
  return new PspError('invalid_request', 'The notification is not signed by Stripe for this endpoint, or is too old.')
}

function parsed(body: string): Record<string, unknown> {
  try {
    const event = asRecord(JSON.parse(body))
    if (event) return event
  } catch {}
  throw foreign()
}

function headerOf(request: NotificationRequest, name: string): string | undefined {
  const entry = Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)
  return entry?.[1]
}
