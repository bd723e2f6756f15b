import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord } from '../shared/raw-json.ts'

const TOLERANCE_SECONDS = 300
const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/

interface Endpoint {
  secret: string | undefined
  externalIdentifier: string
  now: Date
}

/** The signature is in a header; a request without it is not genuine. */
export const hasDeliveryHeaders = (headers: NotificationRequest['headers']): boolean =>
  SIGNATURE.test(headers['sandbox-signature'] ?? '')

/**
 * Signed by HMAC-SHA256 over `<seconds>.<body>` in the header Sandbox-Signature, `t=<seconds>,v1=<hex>`.
 * @throws PspError config_invalid without a signing secret, invalid_request for anything that is not genuine
 */
export function verifyNotification(endpoint: Endpoint, request: NotificationRequest): NotificationEnvelope {
  if (endpoint.secret === undefined) {
    throw new PspError('config_invalid', 'Add notificationSecret to the secret payload to receive notifications.')
  }
  const entry = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'sandbox-signature')
  const [, seconds = '', signature = ''] = SIGNATURE.exec(entry?.[1] ?? '') ?? []
  const expected = createHmac('sha256', endpoint.secret).update(`${seconds}.${request.body}`).digest()
  if (signature === '' || !timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw foreign()
  if (Math.abs(Number(seconds) - endpoint.now.getTime() / 1000) > TOLERANCE_SECONDS) throw foreign()
  const { id, type, account } = eventOf(request.body)
  if (typeof id !== 'string' || typeof type !== 'string' || account !== endpoint.externalIdentifier) throw foreign()
  return { id, type, body: request.body }
}

/** The chargeback to read again. */
export function readNotification(envelope: NotificationEnvelope): { references: string[] } {
  const { chargebackId } = eventOf(envelope.body)
  return { references: typeof chargebackId === 'string' && chargebackId !== '' ? [chargebackId] : [] }
}

function eventOf(body: string): Record<string, unknown> {
  try {
    const event = asRecord(JSON.parse(body))
    if (event) return event
  } catch {}
  throw foreign()
}

function foreign(): PspError {
  return new PspError('invalid_request', 'The notification is not signed for this integration, or is too old.')
}
