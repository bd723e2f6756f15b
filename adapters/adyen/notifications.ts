import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { itemsOf } from './events/items.ts'
import { isPaymentEvent } from './events/reduce.ts'
import { parsed } from './facts.ts'
import { type AdyenSecret, hmacKeysOf } from './secret.ts'

/** The response body that Adyen's older endpoints expect; any 2xx within 10 s is enough. */
export const ANSWER = '[accepted]'

/** The signature is in the body; the headers only show that it is JSON. */
export const hasDeliveryHeaders = (headers: NotificationRequest['headers']): boolean =>
  /^application\/json\b/i.test(headers['content-type'] ?? '')

interface Endpoint {
  secret: AdyenSecret
  merchantAccount: string
}

/**
 * Verifies that the delivery comes from Adyen, for this merchant account. The signature covers eight fields only,
 * without status, deadline and date, so anybody who can read a delivery can alter those. Test and live are separated
 * later.
 * @throws PspError invalid_request for anything that is not genuine
 */
export function verifyNotification(
  { secret, merchantAccount }: Endpoint,
  request: NotificationRequest,
): NotificationEnvelope {
  if (!rightPassword(secret, request)) throw foreign()
  const items = itemsOf(request.body)
  if (items.length === 0 || !parsed(request.body)) throw foreign()
  for (const { value } of items) {
    const item = asRecord(value)
    const signature = asRecord(item?.additionalData)?.hmacSignature
    if (!item || typeof signature !== 'string') throw foreign()
    if (!hmacKeysOf(secret).some((key) => sameSignature(signatureOf(item, key), signature))) throw foreign()
    if (item.merchantAccountCode !== merchantAccount) throw foreign()
  }
  const [first] = items
  return { id: idOf(items), type: first?.eventCode ?? 'unknown', body: request.body }
}

/**
 * References to index the notification by: the dispute, and the payment, whose AUTHORISATION has the transaction data
 * and whose reference some events carry in place of the dispute's.
 */
export function readNotification(envelope: NotificationEnvelope): { references: string[] } {
  const references = new Set<string>()
  for (const { eventCode, pspReference, originalReference } of itemsOf(envelope.body)) {
    if (eventCode === 'REPORT_AVAILABLE') continue
    if (pspReference !== null) references.add(pspReference)
    const aboutDispute = eventCode === null || !isPaymentEvent(eventCode)
    if (aboutDispute && originalReference !== null) references.add(originalReference)
  }
  return { references: [...references] }
}

/** Base64 of the HMAC-SHA256 over the eight signed fields; a missing field counts as empty. */
export function signatureOf(item: Record<string, unknown>, hexKey: string): string {
  const amount = asRecord(item.amount)
  const signed = [
    item.pspReference,
    item.originalReference,
    item.merchantAccountCode,
    item.merchantReference,
    amount?.value,
    amount?.currency,
    item.eventCode,
    item.success,
  ]
  const text = signed.map((value) => (value === undefined || value === null ? '' : String(value))).join(':')
  return createHmac('sha256', Buffer.from(hexKey, 'hex')).update(text, 'utf8').digest('base64')
}

function sameSignature(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Replays carry the same event code, reference and date. */
function idOf(items: { value: unknown }[]): string {
  const id = items
    .map(({ value }) => {
      const { eventCode, pspReference, eventDate } = asRecord(value) ?? {}
      return [eventCode, pspReference, eventDate].map((part) => String(part ?? '')).join(':')
    })
    .join('|')
  return id.length <= 200 && isStorable(id) ? id : createHash('sha256').update(id).digest('hex')
}

function rightPassword({ webhookUsername, webhookPassword }: AdyenSecret, { headers }: NotificationRequest): boolean {
  if (webhookPassword === undefined) return true
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1] ?? ''
  const wanted = `Basic ${Buffer.from(`${webhookUsername ?? ''}:${webhookPassword}`).toString('base64')}`
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

function foreign(): PspError {
  return new PspError('invalid_request', 'The notification is not signed by Adyen for this merchant account.')
}
