import { createHash } from 'node:crypto'
import type { NotificationEnvelope, NotificationRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { Gateway } from './client.ts'
import { instantOf } from './facts.ts'
import { isOfAccounts } from './fetch.ts'

/** Braintree repeats a delivery every hour for a day; an older one is no delivery any more. */
const OLDEST_MS = 25 * 3_600_000
/** A clock may be a little ahead. */
const NEWEST_MS = 300_000

/** The signature is in the body; the headers say no more than that it is a form. */
export const hasDeliveryHeaders = (headers: NotificationRequest['headers']): boolean =>
  FORM.test(headers['content-type'] ?? '')

const FORM = /^application\/x-www-form-urlencoded\b/i

type Verifier = Pick<Gateway, 'webhookNotification'>

/**
 * Checks that the delivery is signed with this key pair's private key. There is no other secret, and no account in
 * it: a key pair belongs to one merchant.
 * @throws PspError invalid_request for anything that is not genuine
 */
export function verifyNotification(gateway: Verifier, now: Date, request: NotificationRequest): NotificationEnvelope {
  if (!FORM.test(headerOf(request, 'content-type') ?? '')) throw foreign()
  const form = new URLSearchParams(request.body)
  const [signature, payload] = [form.get('bt_signature') ?? '', form.get('bt_payload') ?? '']
  if (signature === '' || payload === '' || /[^A-Za-z0-9+/=\n]/.test(payload)) throw foreign()
  if (gateway.webhookNotification.validateSignature(signature, payload) !== null) throw foreign()

  const xml = Buffer.from(payload, 'base64').toString('utf8')
  const kind = /<kind>([a-z_]{1,80})<\/kind>/.exec(xml)?.[1]
  const timestamp = instantOf(/<timestamp[^>]*>([^<]{1,40})<\/timestamp>/.exec(xml)?.[1] ?? '')
  if (kind === undefined || timestamp === null) throw foreign()
  const age = now.getTime() - Date.parse(timestamp)
  if (age > OLDEST_MS || age < -NEWEST_MS) throw foreign()
  // Deliveries have no id of their own; a repeated one has the same payload.
  const id = createHash('sha256').update(payload.trimEnd()).digest('hex')
  return { id, type: kind, body: xml }
}

/**
 * The dispute to read again, unless it names a merchant account of somebody else at the same gateway. What is said about
 * it is not used: deliveries come late, twice and out of order.
 */
export function readNotification(codes: readonly string[], envelope: NotificationEnvelope): { references: string[] } {
  if (!envelope.type.startsWith('dispute_')) return { references: [] }
  // What lies inside a dispute has ids of its own.
  const flat = envelope.body.replace(/<(transaction|evidence)\b[\s\S]*?<\/\1>/g, '')
  const id = /<dispute>[\s\S]*?<id>([A-Za-z0-9_-]{1,255})<\/id>/.exec(flat)?.[1]
  const account = /<merchant-account-id>([^<&]*)<\/merchant-account-id>/.exec(flat)?.[1]
  const foreigner = account !== undefined && !isOfAccounts(codes, account)
  return { references: id === undefined || foreigner ? [] : [id] }
}

/**
 * What Braintree wants to hear when the address is registered (`GET ?bt_challenge=…`).
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
