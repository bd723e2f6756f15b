import { createHmac, hkdfSync } from 'node:crypto'
import { addressesIn } from '../../domain/accounts/addresses.ts'
import type { KeyRing } from '../core/seal.ts'

/**
 * Blind index of sealed text: rows that may hold a person carry `persons bytea[]`, an HMAC of each e-mail address in
 * what they seal, so that one statement finds them though none can read them.
 *
 * The hashing key derives from the key of the ring that seals the row beside it, and both are always written together.
 * So a row can be found as long as it can be opened, and re-sealing makes both anew. Only the hashes of files stay when
 * their content is re-sealed: they are of what the file shows, which takes parsing. What those were hashed with is kept,
 * sealed (db/core/sealing-keys.ts). Lookups ask for the address under every key of the ring and under those that were kept.
 */

/** 128 bits: two addresses never meet by chance, and the index stays small. */
const HASH_BYTES = 16
/** Addresses of one row; more than any record of a sale has. */
export const MOST_ADDRESSES = 1_000

const derived = new WeakMap<Buffer, Buffer>()

/** Hashes of every e-mail address in the texts, for the `persons` column of the row that seals them. */
export function personHashes(ring: KeyRing, ...texts: string[]): Buffer[] {
  return addressHashes(
    ring,
    texts.flatMap((text) => addressesIn(text, MOST_ADDRESSES)),
  )
}

/** As `personHashes`, of addresses that `addressesIn` has found already. */
export function addressHashes(ring: KeyRing, addresses: string[]): Buffer[] {
  const key = personsKey(ring.keys.get(ring.current) as Buffer)
  return [...new Set(addresses)].slice(0, MOST_ADDRESSES).map((address) => hash(key, address))
}

/**
 * What to look for in `persons` columns to find the address: `persons && lookups`.
 * @param kept `keptPersonsKeys`
 */
export function personLookups(ring: KeyRing, address: string, kept: readonly Buffer[] = []): Buffer[] {
  const keys = [...[...ring.keys.values()].map(personsKey), ...kept]
  return addressesIn(address).flatMap((one) => keys.map((key) => hash(key, one)))
}

/** What persons are hashed with, derived from a key of the ring. It opens nothing. */
export function personsKey(key: Buffer): Buffer {
  const known = derived.get(key)
  const index = known ?? Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'recoup persons', 32))
  if (!known) derived.set(key, index)
  return index
}

const hash = (key: Buffer, address: string): Buffer =>
  createHmac('sha256', key).update(address).digest().subarray(0, HASH_BYTES)
