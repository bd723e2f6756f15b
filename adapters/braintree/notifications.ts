import { createHash } from 'node:crypto'
import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { Gateway } from './client.ts'
import { instantOf } from './facts.ts'
import { isOfAccounts } from './fetch.ts'

/** Braintree repeats a delivery every hour for a day; an older one is rejected. */
const OLDEST_MS = 25 * 3_600_000
/** Tolerated clock skew. */
const NEWEST_MS = 300_000

/** The signature is in the body; the headers only show that it is a form. */
export const hasDeliveryHeaders = (headers: NotificationRequest['headers']): boolean =>
  FORM.test(headers['content-type'] ?? '')

const FORM = /^application\/x-www-form-urlencoded\b/i

const KIND = /^[a-z_]{1,80}$/
const REFERENCE = /^[A-Za-z0-9_-]{1,255}$/

type Verifier = Pick<Gateway, 'webhookNotification'>

/** The stored part of a notification: the dispute that it names, and its merchant account. */
interface Named {
  dispute?: unknown
  merchantAccountId?: unknown
}

/**
 * Verifies that the delivery is signed with this key pair's private key. There is no other secret, and no account in
 * it: a key pair belongs to one merchant.
 * @throws PspError invalid_request for anything that is not genuine
 */
export async function verifyNotification(
  gateway: Verifier,
  now: Date,
  request: NotificationRequest,
): Promise<NotificationEnvelope> {
  if (!FORM.test(headerOf(request, 'content-type') ?? '')) throw foreign()
  const form = new URLSearchParams(request.body)
  const [signature, payload] = [form.get('bt_signature') ?? '', form.get('bt_payload') ?? '']
  // Unsigned, signed by another key pair, or not a notification: the SDK rejects all of these.
  const found = await gateway.webhookNotification.parse(signature, payload).catch(() => null)
  const kind = KIND.exec(found?.kind ?? '')?.[0]
  const timestamp = instantOf(found?.timestamp ?? '')
  if (kind === undefined || timestamp === null) throw foreign()
  const age = now.getTime() - Date.parse(timestamp)
  if (age > OLDEST_MS || age < -NEWEST_MS) throw foreign()
  // Deliveries have no id; a repeated one has the same payload.
  const id = createHash('sha256').update(payload.trimEnd()).digest('hex')
  const { id: dispute, merchantAccountId } = found?.dispute ?? {}
  return { id, type: kind, body: JSON.stringify({ dispute, merchantAccountId } satisfies Named) }
}

/**
 * The dispute to read again, unless it belongs to another merchant account of the same gateway. Its content is ignored,
 * because deliveries come late, twice and out of order.
 */
export function readNotification(codes: readonly string[], envelope: NotificationEnvelope): { references: string[] } {
  if (!envelope.type.startsWith('dispute_')) return { references: [] }
  const { dispute, merchantAccountId } = JSON.parse(envelope.body) as Named
  const known = typeof dispute === 'string' && REFERENCE.test(dispute)
  const foreigner = typeof merchantAccountId === 'string' && !isOfAccounts(codes, merchantAccountId)
  return { references: known && !foreigner ? [dispute] : [] }
}

/**
 * The response that Braintree expects when the address is registered (`GET ?bt_challenge=…`).
 * @throws PspError invalid_request for anything but 20 to 32 hexadecimal digits
 */
export function answerChallenge(gateway: Verifier, challenge: string): string {
  if (!/^[a-f0-9]{20,32}$/.test(challenge)) {
    throw new PspError('invalid_request', 'bt_challenge must be 20 to 32 hexadecimal digits in lower case.')
  }
  return gateway.webhookNotification.verify(challenge)
}

function foreign(): PspError {
  return new PspError(
    'invalid_request',
    'The notification is not signed by Braintree for this key pair, or is too old.',
  )
}

function headerOf(request: NotificationRequest, name: string): string | undefined {
  return Object.entries(request.headers).find(([key]) => key.toLowerCase() === name)?.[1]
}
