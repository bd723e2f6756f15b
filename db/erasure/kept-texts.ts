import { type RawBuilder, sql } from 'kysely'
import { redact } from '../../domain/redaction.ts'
import { asArray } from '../core/arrays.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, type SealForm, seal, sealContext } from '../core/seal.ts'
import { erasedIn, type PspText } from './erased.ts'
import { personHashes } from './persons.ts'

/** A text of a PSP in the form in which it may be stored. */
export interface KeptText {
  sealed: string
  persons: Buffer[]
}

/**
 * Seals texts of PSPs, without erased persons. Call it in the transaction that stores them, after its first write: a
 * removal waits for such transactions before it searches the tables.
 */
export async function sealTexts(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  texts: PspText[],
): Promise<KeptText[]> {
  const left = await withoutErased(db, ring, integrationId, texts)
  return left.map((text) => sealedText(ring, integrationId, text))
}

/** A text sealed as it is: only where nobody was erased (`somebodyErased`). */
export const sealedText = (ring: KeyRing, integrationId: string, text: string, form?: SealForm): KeptText => ({
  sealed: seal(ring, text, sealContext.rawObject(integrationId), form),
  persons: personHashes(ring, text),
})

/** The texts as `sealTexts` would store them now, because computed data must not mention erased persons either. */
export async function withoutErased(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  texts: PspText[],
): Promise<string[]> {
  const erased = await erasedIn(db, ring, integrationId, texts)
  return texts.map(({ text }, index) => {
    const who = erased[index]
    return who ? redact(text, who) : text
  })
}

/** Passes `bytea[]` columns of many rows as one parameter, because Postgres has no ragged arrays. */
export const asText = (hashes: Buffer[]): string => hashes.map((hash) => hash.toString('hex')).join(',')

/** SQL for the hashes that `asText` wrote. */
export const fromText = (column: string) =>
  sql<
    Buffer[]
  >`(select coalesce(array_agg(decode(h, 'hex')), '{}') from unnest(string_to_array(${sql.ref(column)}, ',')) h)`

/** A person was erased between the read of the object and its storage: data computed from it must not be stored. */
export class ErasedMeanwhile extends Error {
  constructor() {
    super('a data subject was erased while this was at work')
    this.name = 'ErasedMeanwhile'
  }
}

/**
 * Stores the objects that chargebacks and transactions were read from, sealed.
 * @throws ErasedMeanwhile: translate them again, through `withoutErased`
 */
export async function storeRaw(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  kind: 'dispute' | 'context',
  raw: { reference: string; text: string }[],
): Promise<void> {
  if (raw.length === 0) return
  const texts = raw.map(({ reference, text }) => ({ references: [reference], text }))
  const left = await withoutErased(db, ring, integrationId, texts)
  if (left.some((text, index) => text !== texts[index]?.text)) throw new ErasedMeanwhile()
  await rawStored(ring, integrationId, kind, raw, sql`true`).execute(db)
}

/**
 * Statement that seals and stores the objects. The condition must hold only where nobody was erased (`somebodyErased`),
 * and the statement must not be the first that writes in its transaction.
 */
export function rawStored(
  ring: KeyRing,
  integrationId: string,
  kind: 'dispute' | 'context',
  raw: { reference: string; text: string }[],
  condition: RawBuilder<unknown>,
  form?: SealForm,
): RawBuilder<unknown> {
  const kept = raw.map(({ text }) => sealedText(ring, integrationId, text, form))
  return sql`
    insert into raw_object (integration_id, kind, reference, sealed, persons)
    select ${integrationId}, ${kind}, r.reference, r.sealed, ${fromText('r.persons')}
    from unnest(${asArray(raw.map((one) => one.reference))}::text[], ${asArray(kept.map((one) => one.sealed))}::text[],
      ${asArray(kept.map((one) => asText(one.persons)))}::text[]) as r(reference, sealed, persons)
    where ${condition}
    on conflict (integration_id, kind, reference) do update
      set sealed = excluded.sealed, persons = excluded.persons, fetched_at = now()`
}

/** A data subject of the integration's merchant was erased: texts are to be looked through before they are stored. */
export const somebodyErased = (integrationId: string) => sql<boolean>`exists (select from erased_subject s
  where s.merchant_uuid = (select merchant_uuid from integration where integration_id = ${integrationId}))`
