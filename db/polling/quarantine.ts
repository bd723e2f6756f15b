import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { asText, fromText, type KeptText, sealedText, sealTexts } from '../erasure/kept-texts.ts'

export interface QuarantinedObject {
  hash: Buffer
  reference: string | null
  reason: string
  text: string
}

/** One statement can't write a row twice, and a page may contain an object twice. */
const distinct = (found: readonly QuarantinedObject[]) => [
  ...new Map(found.map((one) => [one.hash.toString('hex'), one])).values(),
]

/** Stores objects that can't be translated, once per content, and deletes those whose reference was ingested since. */
export async function quarantine(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  found: QuarantinedObject[],
  good: string[],
  translationVersion: number,
): Promise<void> {
  const bad = distinct(found)
  if (bad.length > 0) {
    const texts = bad.map(({ reference, text }) => ({ references: reference === null ? [] : [reference], text }))
    const kept = await sealTexts(db, ring, integrationId, texts)
    await stored({ integrationId, bad, kept, translationVersion }, sql`true`).execute(db)
  }
  if (good.length > 0) await released(integrationId, good, sql`true`).execute(db)
}

/**
 * The same, as two common table expressions for a larger statement. The condition must hold only where nobody was erased
 * (`somebodyErased`). No object of a page may be both malformed and ingested.
 */
export function quarantineOfPage(
  ring: KeyRing,
  integrationId: string,
  page: { quarantined: readonly QuarantinedObject[]; good: readonly string[]; translationVersion: number },
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { good, translationVersion } = page
  const bad = distinct(page.quarantined)
  const kept = bad.map(({ text }) => sealedText(ring, integrationId, text))
  return sql`quarantined as (${stored({ integrationId, bad, kept, translationVersion }, condition)}),
    released as (${released(integrationId, good, condition)})`
}

interface ToStore {
  integrationId: string
  bad: readonly QuarantinedObject[]
  kept: readonly KeptText[]
  translationVersion: number
}

const stored = ({ integrationId, bad, kept, translationVersion }: ToStore, condition: RawBuilder<unknown>) => sql`
      insert into quarantine as q (integration_id, hash, reference, reason, sealed, persons, translation_version)
      select ${integrationId}, b.hash, b.reference, b.reason, b.sealed, ${fromText('b.persons')}, ${translationVersion}::int
      from unnest(${bad.map((one) => one.hash)}::bytea[], ${bad.map((one) => one.reference)}::text[],
        ${bad.map((one) => one.reason)}::text[], ${kept.map((one) => one.sealed)}::text[],
        ${kept.map((one) => asText(one.persons))}::text[]) as b(hash, reference, reason, sealed, persons)
      where ${condition}
      on conflict (integration_id, hash) do update set last_seen_at = now(), seen = q.seen + 1,
        reason = excluded.reason, translation_version = excluded.translation_version`

const released = (integrationId: string, good: readonly string[], condition: RawBuilder<unknown>) => sql`
      delete from quarantine where integration_id = ${integrationId} and reference = any(${[...good]}::text[])
        and ${condition}`

/** An object that could not be translated, as operators see it; its content stays sealed. */
export interface QuarantinedRow {
  /** The PSP's id of the dispute; null for an object that has none. */
  reference: string | null
  reason: string
  seen: number
  firstSeenAt: Date
  lastSeenAt: Date
}

/**
 * A page of the untranslatable objects of a merchant's integration, last seen first, and one more if there are more.
 * @param which `limit` 10 to 100, `page` from 1
 */
export async function quarantinedPage(
  db: Database,
  which: { merchantUuid: string; integrationId: string; limit: number; page: number },
): Promise<QuarantinedRow[]> {
  const { merchantUuid, integrationId, limit, page } = which
  const { rows } = await sql<QuarantinedRow>`
    select q.reference, q.reason, q.seen, q.first_seen_at as "firstSeenAt", q.last_seen_at as "lastSeenAt"
    from quarantine q join integration i on i.integration_id = q.integration_id
    where i.merchant_uuid = ${merchantUuid} and q.integration_id = ${integrationId}
    order by q.last_seen_at desc, q.quarantine_id desc
    limit ${limit + 1} offset ${BigInt(page - 1) * BigInt(limit)}::bigint`.execute(db)
  return rows
}

/** Untranslatable objects of an integration, last seen first. */
export async function quarantined(db: Database, integrationId: string): Promise<QuarantinedRow[]> {
  const { rows } = await sql<QuarantinedRow>`
    select reference, reason, seen, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
    from quarantine where integration_id = ${integrationId}
    order by last_seen_at desc, quarantine_id desc`.execute(db)
  return rows
}
