import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import type { PayPalClient } from './client.ts'
import { referenceOf } from './rows.ts'

/** PayPal repeats a delivery for three days (PayPal docs, Webhooks); one from the future is rejected. */
const OLDEST_MS = 3 * 86_400_000 + 3_600_000
const AHEAD_MS = 300_000

const HEADERS = ['auth-algo', 'cert-url', 'transmission-id', 'transmission-sig', 'transmission-time'] as const

/** Checks the form and the time of the five headers that PayPal signs with. */
export function hasDeliveryHeaders(headers: NotificationRequest['headers'], now: Date): boolean {
  try {
    checkHeaders(signatureOf(headers), now)
    return true
  } catch {
    return false
  }
}

/**
 * Asks PayPal whether the delivery is genuine, for this webhook. The event is sent unchanged, because another
 * serialisation has another checksum. Obvious forgeries are rejected here, so that a flood costs no calls.
 * @throws PspError config_invalid without a webhook id, invalid_request for anything that is not genuine, and a read's
 * errors when PayPal can't be asked: PayPal then delivers again
 */
export async function verifyNotification(
  client: PayPalClient,
  webhook: { id: string | undefined; now: Date },
  request: NotificationRequest,
): Promise<NotificationEnvelope> {
  if (webhook.id === undefined) {
    throw new PspError('config_invalid', 'Add webhookId to the secret payload to receive notifications.')
  }
  const event = parsed(request.body)
  const { id, event_type: type } = event
  if (typeof id !== 'string' || id === '' || typeof type !== 'string') throw foreign()
  const fields = signatureOf(request.headers)
  checkHeaders(fields, webhook.now)
  const question = JSON.stringify({ ...fields, webhook_id: webhook.id })
  const content = `${question.slice(0, -1)},"webhook_event":${request.body}}`
  if (!(await isGenuine(client, content))) throw foreign()
  return { id, type, body: request.body }
}

/** The dispute to read again. The event's content is ignored, because deliveries come late, twice and out of order. */
export function readNotification(envelope: NotificationEnvelope): { references: string[] } {
  if (!/^(CUSTOMER|RISK)\.DISPUTE\./.test(envelope.type)) return { references: [] }
  const reference = referenceOf(at(parsed(envelope.body), 'resource.dispute_id'))
  return { references: reference === null ? [] : [reference] }
}

const signatureOf = (headers: NotificationRequest['headers']): Record<string, string> =>
  Object.fromEntries(HEADERS.map((name) => [name.replaceAll('-', '_'), headerOf(headers, name)]))

function checkHeaders(fields: Record<string, string>, now: Date): void {
  const { cert_url: certificate = '', transmission_time: time = '' } = fields
  const url = URL.canParse(certificate) ? new URL(certificate) : null
  if (url?.protocol !== 'https:' || !url.hostname.endsWith('.paypal.com')) throw foreign()
  const age = now.getTime() - Date.parse(time)
  if (!(age <= OLDEST_MS && age >= -AHEAD_MS)) throw foreign()
}

async function isGenuine(client: PayPalClient, content: string): Promise<boolean> {
  try {
    const answer = await client.ask('/v1/notifications/verify-webhook-signature', { type: 'application/json', content })
    return answer.value.verification_status === 'SUCCESS'
  } catch (error) {
    // PayPal's error for a malformed header.
    if (error instanceof PspError && error.kind === 'invalid_request') return false
    throw error
  }
}

function foreign(): PspError {
  return new PspError('invalid_request', 'The notification is not signed by PayPal for this webhook, or is too old.')
}

function parsed(body: string): Record<string, unknown> {
  try {
    const event = asRecord(JSON.parse(body))
    if (event) return event
  } catch {}
  throw foreign()
}

function headerOf(headers: NotificationRequest['headers'], name: string): string {
  const wanted = `paypal-${name}`
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === wanted)?.[1]
  if (value === undefined || value === '' || value.length > 2000) throw foreign()
  return value
}
