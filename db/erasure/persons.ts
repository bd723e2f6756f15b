import { createHmac, hkdfSync } from 'node:crypto'
import { addressesIn } from '../../domain/accounts/addresses.ts'
import type { KeyRing } from '../core/seal.ts'

/**
 * Blind index of sealed text: rows that may hold a person have `persons bytea[]`, an HMAC of each e-mail address in
 * their sealed values, so that one statement finds them without decryption.
 *
 * The hashing key derives from the ring's key that seals the row, and both are always written together. So a row can be
 * found as long as it can be opened, and re-sealing replaces both. Only the hashes of files stay when their content is
 * re-sealed: they come from the visible text, which requires parsing. Their hashing key is kept, sealed
 * (db/core/sealing-keys.ts). Lookups hash the address with every key of the ring and with the kept keys.
 */

/** 128 bits: no accidental collisions, and a small index. */
const HASH_BYTES = 16
/** Addresses per row; more than any record of a sale has. */
export const MAX_ADDRESSES = 1_000

const derived = new WeakMap<Buffer, Buffer>()

/** Hashes of every e-mail address in the texts, for the `persons` column of the row that seals them. */
export function personHashes(ring: KeyRing, ...texts: string[]): Buffer[] {
  return addressHashes(
    ring,
    texts.flatMap((text) => addressesIn(text, MAX_ADDRESSES)),
  )
}

/** As `personHashes`, for addresses that `addressesIn` has found. */
export function addressHashes(ring: KeyRing, addresses: string[]): Buffer[] {
  const key = personsKey(ring.keys.get(ring.current) as Buffer)
  return [...new Set(addresses)].slice(0, MAX_ADDRESSES).map((address) => hash(key, address))
}

/**
 * Hashes to search for in `persons` columns: `persons && lookups`.
 * @param kept `keptPersonsKeys`
 */
export function personLookups(ring: KeyRing, address: string, kept: readonly Buffer[] = []): Buffer[] {
  const keys = [...[...ring.keys.values()].map(personsKey), ...kept]
  return addressesIn(address).flatMap((one) => keys.map((key) => hash(key, one)))
}

/** The hashing key for persons, derived from a key of the ring. It can't decrypt. */
export function personsKey(key: Buffer): Buffer {
  const known = derived.get(key)
  const index = known ?? Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'recoup persons', 32))
  if (!known) derived.set(key, index)
  return index
}

const hash = (key: Buffer, address: string): Buffer =>
  createHmac('sha256', key).update(address).digest().subarray(0, HASH_BYTES)
