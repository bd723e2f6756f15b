import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** A page of a PSP's list whose objects are all stored. */
export interface StoredPage {
  key: string
  /** SHA-256 of the response's body. */
  fingerprint: Buffer
  objects: number
  /** What the adapter needs to read on behind it. */
  next: unknown
}

/**
 * The pages that need no comparison while their bytes are the same: stored under this version of the translation, and
 * without an object whose time to be read again has come.
 */
export async function storedPages(
  db: Database,
  integrationId: string,
  translationVersion: number,
): Promise<Map<string, StoredPage>> {
  const rows = await db
    .selectFrom('list_page')
    .select(['page_key as key', 'fingerprint', 'objects', 'next'])
    .where('integration_id', '=', integrationId)
    .where('translation_version', '=', translationVersion)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('due_at', '>', sql<Date>`now()`)]))
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

/** Enough to tell the objects of one account apart; two that meet cost a comparison. */
const hashOf = (reference: RawBuilder<unknown>) => sql`('x' || left(md5(${reference}), 8))::bit(32)::int`
const hashesOf = (references: readonly string[]) =>
  sql`array(select ${hashOf(sql`r`)} from unnest(${[...references]}::text[]) r)`

/** A page with everything on it, in the transaction that stores it. */
export interface PageToStore extends StoredPage {
  translationVersion: number
  references: string[]
  /** References of the objects that this transaction leaves as they are. */
  left: string[]
  /** When the first of the other ones is due to be read again. */
  dueAt: Date | null
}

/** Statement that stores the page, to be compared again when the first of its objects is due to be read again. */
export const listPageStored = (integrationId: string, page: PageToStore, condition: RawBuilder<unknown>) => sql`
  insert into list_page (integration_id, page_key, fingerprint, translation_version, objects, next, object_hashes, due_at)
  select ${integrationId}, ${page.key}, ${page.fingerprint}, ${page.translationVersion}::int, ${page.objects}::int,
    ${JSON.stringify(page.next)}::jsonb, ${hashesOf(page.references)},
    least(${page.dueAt?.toISOString() ?? null}::timestamptz, (select min(reread_after) from chargeback
      where integration_id = ${integrationId} and chargeback_id = any(${page.left}::text[])))
  where ${condition}
  on conflict (integration_id, page_key) do update set fingerprint = excluded.fingerprint,
    translation_version = excluded.translation_version, objects = excluded.objects, next = excluded.next,
    object_hashes = excluded.object_hashes, due_at = excluded.due_at, stored_at = now()`

export async function storeListPage(db: Database, integrationId: string, page: PageToStore): Promise<void> {
  await listPageStored(integrationId, page, sql`true`).execute(db)
}

/**
 * Pages with these objects are compared when they are next read, unchanged or not: what was read of an object apart from
 * the list is newer than the page, and the PSP may go back to what the page says.
 */
export async function forgetPagesOf(db: Database, integrationId: string, references: readonly string[]): Promise<void> {
  await sql`
    delete from list_page where integration_id = ${integrationId} and object_hashes && ${hashesOf(references)}`.execute(
    db,
  )
}

/** Not everything on it is stored: it is compared when it is next read. */
export async function forgetListPage(db: Database, integrationId: string, key: string): Promise<void> {
  await sql`delete from list_page where integration_id = ${integrationId} and page_key = ${key}`.execute(db)
}
