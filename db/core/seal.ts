import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import { compress, decompress } from './compression.ts'

/**
 * Sealing of secrets and personal data at rest: AES-256-GCM with a random 96-bit nonce and a ring of keys, the first
 * of which seals and all of which open. Text form: `v1.<keyId>.<nonce>.<ciphertext+tag>`, base64url; `v2.` when the text
 * was compressed before.
 */
export interface KeyRing {
  current: string
  keys: ReadonlyMap<string, Buffer>
}

const TAG_BYTES = 16
const NONCE_BYTES = 12
/** Random nonces, drawn 256 at a time: a draw for each costs a quarter of sealing an object (docs/decisions/0045). */
const nonces = Buffer.alloc(256 * NONCE_BYTES)
let used = nonces.length

/** Never hands out the same bytes twice. */
function nextNonce(): Buffer {
  if (used === nonces.length) {
    randomFillSync(nonces)
    used = 0
  }
  const nonce = Buffer.from(nonces.subarray(used, used + NONCE_BYTES))
  used += NONCE_BYTES
  return nonce
}

/**
 * Reads `RECOUP_ENCRYPTION_KEYS`: `id:base64key[,id:base64key…]`, 32 bytes each; the first one seals.
 * @throws an Error that names the rule, never the value
 */
export function readKeyRing(text: string): KeyRing {
  const entries = text.split(',').map((part) => part.trim().split(':'))
  const keys = new Map<string, Buffer>()
  for (const [id, encoded] of entries) {
    const key = Buffer.from(encoded ?? '', 'base64')
    if (!id || !/^[A-Za-z0-9_-]{1,32}$/.test(id) || key.length !== 32)
      throw new Error('RECOUP_ENCRYPTION_KEYS must be "id:key" pairs, comma-separated, each key 32 bytes in base64')
    // A second key with the same id would replace the first, whose sealed values could then not be opened.
    if (keys.has(id)) throw new Error('RECOUP_ENCRYPTION_KEYS names a key id twice')
    keys.set(id, key)
  }
  return { current: entries[0]?.[0] as string, keys }
}

/** The place that a sealed value belongs to; it can't be opened in any other. */
export type SealContext = readonly string[]

/** `v2` texts are compressed: for objects of PSPs, where the database has them (docs/decisions/0068). */
export type SealForm = 'v1' | 'v2'

export function seal(ring: KeyRing, plain: string, context: SealContext, form: SealForm = 'v1'): string {
  const nonce = nextNonce()
  const cipher = createCipheriv('aes-256-gcm', ring.keys.get(ring.current) as Buffer, nonce)
  cipher.setAAD(placeOf(context, form))
  const first = form === 'v2' ? cipher.update(compress(plain)) : cipher.update(plain, 'utf8')
  const sealed = Buffer.concat([first, cipher.final(), cipher.getAuthTag()])
  return `${form}.${ring.current}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
}

/** Authenticated with the text, so that neither can be changed. */
const placeOf = (context: SealContext, form: SealForm): Buffer =>
  Buffer.from(JSON.stringify(form === 'v1' ? context : [form, ...context]))

/** @throws an Error without any of the text when the key is missing, the text was altered or its context differs */
export function open(ring: KeyRing, sealed: string, context: SealContext): string {
  const [version, keyId = '', nonce = '', body = ''] = sealed.split('.')
  const key = ring.keys.get(keyId)
  if ((version !== 'v1' && version !== 'v2') || !key) throw new Error('sealed text: its key is not in the ring')
  const bytes = Buffer.from(body, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES })
  decipher.setAAD(placeOf(context, version))
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()])
    return version === 'v2' ? decompress(plain) : plain.toString('utf8')
  } catch {
    throw new Error('sealed text: altered, or of another place')
  }
}

/** The form of a sealed text, for another text in its place. */
export const formOf = (sealed: string): SealForm => (sealed.startsWith('v2.') ? 'v2' : 'v1')

/** First byte of sealed bytes; the key id's length, the key id, the nonce, the ciphertext and its tag follow. */
const BINARY_FORM = 1

/** As `seal`, for files: the text form is a third larger. */
export function sealBytes(ring: KeyRing, plain: Uint8Array, context: SealContext): Buffer {
  const nonce = nextNonce()
  const cipher = createCipheriv('aes-256-gcm', ring.keys.get(ring.current) as Buffer, nonce)
  cipher.setAAD(Buffer.from(JSON.stringify(context)))
  const keyId = Buffer.from(ring.current)
  const head = Buffer.from([BINARY_FORM, keyId.length])
  return Buffer.concat([head, keyId, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** As `open`, for values of `sealBytes`. @throws an Error without any of the content */
export function openBytes(ring: KeyRing, sealed: Buffer, context: SealContext): Buffer {
  const start = 2 + (sealed[1] ?? 0)
  const key = ring.keys.get(sealed.subarray(2, start).toString())
  if (sealed[0] !== BINARY_FORM || !key) throw new Error('sealed bytes: their key is not in the ring')
  const nonce = sealed.subarray(start, start + NONCE_BYTES)
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(JSON.stringify(context)))
  try {
    decipher.setAuthTag(sealed.subarray(end))
    return Buffer.concat([decipher.update(sealed.subarray(start + NONCE_BYTES, end)), decipher.final()])
  } catch {
    throw new Error('sealed bytes: altered, or of another place')
  }
}

/** Named contexts, so that sealing and opening always use the same one. */
export const sealContext = {
  integrationSecret: (of: { integrationId: string; source: string; merchantUuid: string }): SealContext => [
    'integration',
    of.integrationId,
    of.source,
    of.merchantUuid,
  ],
  /** A new secret until it is verified. */
  secretCandidate: (rotationId: string): SealContext => ['secret-candidate', rotationId],
  /** The part of a replaced secret that verifies notifications. */
  keptVerification: (rotationId: string): SealContext => ['kept-verification', rotationId],
  merchantContact: (merchantUuid: string): SealContext => ['merchant-contact', merchantUuid],
  signingKey: (kid: string): SealContext => ['signing-key', kid],
  rawObject: (integrationId: string): SealContext => ['raw-object', integrationId],
  file: (merchantUuid: string, fileId: string): SealContext => ['file', merchantUuid, fileId],
  /** The hashing key for persons of a former sealing key. */
  personsKey: (keyId: string): SealContext => ['persons-key', keyId],
  removal: (removalId: string): SealContext => ['removal', removalId],
  erasureKey: (): SealContext => ['erasure-key'],
  transactionRecord: (transactionRecordId: string): SealContext => ['transaction-record', transactionRecordId],
  clientData: (chargebackId: string): SealContext => ['client-data', chargebackId],
  submissionTexts: (submitEvidenceId: string): SealContext => ['submission-texts', submitEvidenceId],
  evidencePackage: (packageId: string): SealContext => ['evidence-package', packageId],
  storedAnswer: (credentialId: string): SealContext => ['stored-answer', credentialId],
  alertComments: (alertId: string): SealContext => ['alert-comments', alertId],
  /** Signing keys. An endpoint may be of all merchants of its account. */
  webhookEndpoint: (endpointId: string, accountId: string): SealContext => ['webhook-endpoint', endpointId, accountId],
}
