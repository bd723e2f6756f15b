import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Signature } from '../domain/webhooks/endpoint.ts'

/**
 * Signatures of Standard Webhooks 1.0.0: `v1` is HMAC-SHA256 under a secret `whsec_…`, `v1a` is ed25519 under a private
 * key `whsk_…` whose public half is `whpk_…`. The official libraries verify `v1` only, so each message has one.
 */
const SECRET = 'whsec_'
const PRIVATE = 'whsk_'
const PUBLIC = 'whpk_'
/** Bytes of a secret and of each half of an ed25519 key; the specification allows secrets of 24 to 64. */
const KEY_BYTES = 32
/** What PKCS #8 puts before the 32 bytes of an ed25519 key (RFC 8410). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The keys of an endpoint: always a secret; for ed25519 a private key as well. */
export function newKeys(signature: Signature): string[] {
  const secret = SECRET + randomBytes(KEY_BYTES).toString('base64')
  return signature === 'hmac' ? [secret] : [secret, newPrivateKey()]
}

/** The seed and the public key after it, as Svix writes it. */
function newPrivateKey(): string {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return PRIVATE + Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString('base64')
}

/** The public key `whpk_…` of the private one among the keys; null if there is none. */
export function publicKeyOf(keys: readonly string[]): string | null {
  const key = keys.find((one) => one.startsWith(PRIVATE))
  return key === undefined ? null : PUBLIC + bytesOf(key).subarray(KEY_BYTES).toString('base64')
}

/** The secret `whsec_…` among the keys. */
export const secretOf = (keys: readonly string[]): string => keys.find((one) => one.startsWith(SECRET)) as string

const bytesOf = (key: string) => Buffer.from(key.slice(key.indexOf('_') + 1), 'base64')

export interface Message {
  /** The same for each attempt. Without a full stop, which separates the signed parts. */
  id: string
  /** Time of the attempt; receivers refuse a difference of more than five minutes. */
  at: Date
  /** The bytes that are sent. */
  body: Buffer
}

/** Headers of one attempt, signed under each key: during a rotation the new keys, then the old ones. */
export function signedHeaders({ id, at, body }: Message, keys: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const text = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const signatures = keys.map((key) =>
    key.startsWith(PRIVATE)
      ? `v1a,${sign(null, text, privateKey(key)).toString('base64')}`
      : `v1,${createHmac('sha256', bytesOf(key)).update(text).digest('base64')}`,
  )
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}

const privateKey = (key: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_ED25519, bytesOf(key).subarray(0, KEY_BYTES)]),
    format: 'der',
    type: 'pkcs8',
  })
