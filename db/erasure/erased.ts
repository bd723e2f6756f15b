import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { addressesIn } from '../../domain/accounts/addresses.ts'
import { isAbout, namePhrase, type Person } from '../../domain/redaction.ts'
import type { Database } from '../core/connect.ts'
import { inScope } from '../core/scope.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'

/**
 * The list of erased persons: HMACs of their addresses and names. Everything that a PSP sends is checked against it
 * before it is stored, so that the next poll does not bring them back. Its key is created once and kept, sealed. Unlike
 * the blind index of db/erasure/persons.ts, the list must work after every key of today's ring is gone, because nobody
 * can recompute the hash of an erased person.
 */

const keys = new WeakMap<KeyRing, Buffer>()

/** Null until somebody was erased. */
async function erasureKey(db: Database, ring: KeyRing): Promise<Buffer | null> {
  const known = keys.get(ring)
  if (known) return known
  // Tenants' scopes don't see it: a request of a client would find nobody erased.
  const row = await inScope('system', () => db.selectFrom('erasure_key').select('key_sealed').executeTakeFirst())
  if (!row) return null
  const key = Buffer.from(open(ring, row.key_sealed, sealContext.erasureKey()), 'base64')
  keys.set(ring, key)
  return key
}

/** As `erasureKey`, created when missing. Not inside a transaction, because a rollback would remove the key. */
async function ensureErasureKey(db: Database, ring: KeyRing): Promise<Buffer> {
  const sealed = seal(ring, randomBytes(32).toString('base64'), sealContext.erasureKey())
  await db
    .insertInto('erasure_key')
    .values({ key_sealed: sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const key = (await erasureKey(db, ring)) as Buffer
  // Like every row, it takes the ring's new key when it is next written.
  await sql`update erasure_key set key_sealed = ${seal(ring, key.toString('base64'), sealContext.erasureKey())}
    where not starts_with(key_sealed, ${`v1.${ring.current}.`})`.execute(db)
  return key
}

/** Separate kinds, so that an address never matches a name. */
const erasureHash = (key: Buffer, kind: 'address' | 'first' | 'last', text: string): Buffer =>
  createHmac('sha256', key).update(`${kind}:${text}`).digest()

/** Adds a person to the merchant's list. @returns the entry's id, the same at every call */
export async function addErasedSubject(
  db: Database,
  ring: KeyRing,
  merchantUuid: string,
  who: { email: string; firstName: string; lastName: string },
): Promise<string> {
  const key = await ensureErasureKey(db, ring)
  const [email = Buffer.alloc(0)] = addressesIn(who.email).map((address) => erasureHash(key, 'address', address))
  const { rows } = await sql<{ id: string }>`
    insert into erased_subject as s (subject_id, merchant_uuid, email, first_name, last_name)
    values (${v7()}, ${merchantUuid}, ${email}, ${erasureHash(key, 'first', namePhrase(who.firstName))},
      ${erasureHash(key, 'last', namePhrase(who.lastName))})
    on conflict (merchant_uuid, email, first_name, last_name) do update set erased_at = s.erased_at
    returning subject_id as id`.execute(db)
  return rows[0]?.id as string
}

interface Subject {
  email: Buffer
  firstName: Buffer
  lastName: Buffer
  /** The given references that are marked as this person's. */
  references: string[]
}

/** A text to be stored, and the disputes that it concerns. */
export interface PspText {
  references: string[]
  text: string
}

/**
 * The erased person that each text concerns, or null; one statement for any number of texts. A text concerns a person
 * by its content, or because it belongs to one of their marked chargebacks.
 */
export async function erasedIn(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  texts: PspText[],
): Promise<(Person | null)[]> {
  const key = await erasureKey(db, ring)
  if (!key || texts.length === 0) return texts.map(() => null)
  const hashes = texts.flatMap(({ text }) => addressesIn(text)).map((address) => erasureHash(key, 'address', address))
  const references = texts.flatMap((one) => one.references)
  const { rows } = await sql<Subject>`
    select s.email, s.first_name as "firstName", s.last_name as "lastName",
      array(select r.reference from erased_reference r where r.subject_id = s.subject_id
        and r.integration_id = ${integrationId} and r.reference = any(${references}::text[])) as "references"
    from erased_subject s
    where s.merchant_uuid = (select merchant_uuid from integration where integration_id = ${integrationId})
      and (s.email = any(${hashes}::bytea[]) or s.subject_id in (
        select r.subject_id from erased_reference r
        where r.integration_id = ${integrationId} and r.reference = any(${references}::text[])))`.execute(db)
  if (rows.length === 0) return texts.map(() => null)
  const subjects = rows.map((row) => ({ who: hashedPerson(key, row), marked: new Set(row.references) }))
  return texts.map(({ references, text }) => {
    const found = subjects.filter(({ who, marked }) => references.some((one) => marked.has(one)) || isAbout(text, who))
    return found.length === 0 ? null : anyOf(found.map(({ who }) => who))
  })
}

function hashedPerson(key: Buffer, subject: Subject): Person {
  const is = (kind: 'address' | 'first' | 'last', hash: Buffer) => (text: string) =>
    erasureHash(key, kind, text).equals(hash)
  return {
    isAddress: is('address', subject.email),
    isFirstName: is('first', subject.firstName),
    isLastName: is('last', subject.lastName),
  }
}

const anyOf = (all: Person[]): Person => ({
  isAddress: (text) => all.some((one) => one.isAddress(text)),
  isFirstName: (text) => all.some((one) => one.isFirstName(text)),
  isLastName: (text) => all.some((one) => one.isLastName(text)),
})
