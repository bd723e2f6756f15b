import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import type { StoredPage } from './beforehand.ts'

/** 32 bits of the MD5: a collision costs a comparison. */
const hashOf = (reference: RawBuilder<unknown>) => sql`('x' || left(md5(${reference}), 8))::bit(32)::int`
const hashesOf = (references: readonly string[]) =>
  sql`array(select ${hashOf(sql`r`)} from unnest(${[...references]}::text[]) r)`

/** A page with everything on it, in the transaction that stores it. */
export interface PageToStore extends StoredPage {
  references: string[]
  /** References of the objects that this transaction does not write. */
  left: string[]
  /** When the first of the other objects is due to be read again. */
  dueAt: Date | null
}

/** When the first of them is due to be read again. Looked up one by one, also without statistics. */
const dueOf = (integrationId: string, references: readonly string[]) => sql`(
  select min(c.reread_after) from unnest(${[...references]}::text[]) as r(reference) cross join lateral (
    select reread_after from chargeback where integration_id = ${integrationId} and chargeback_id = r.reference limit 1) c)`

/** Statement that stores the page. It is due when the first of its objects is due to be read again. */
export const listPageStored = (integrationId: string, page: PageToStore, condition: RawBuilder<unknown>) => sql`
  insert into list_page (integration_id, page_key, fingerprint, translation_version, objects, next, object_hashes, due_at)
  select ${integrationId}, ${page.key}, ${page.fingerprint}, ${page.translationVersion}::int, ${page.objects}::int,
    ${JSON.stringify(page.next)}::jsonb, ${hashesOf(page.references)},
    least(${page.dueAt?.toISOString() ?? null}::timestamptz, ${dueOf(integrationId, page.left)})
  where ${condition}
  on conflict (integration_id, page_key) do update set fingerprint = excluded.fingerprint,
    translation_version = excluded.translation_version, objects = excluded.objects, next = excluded.next,
    object_hashes = excluded.object_hashes, due_at = excluded.due_at, stored_at = now()`

export async function storeListPage(db: Database, integrationId: string, page: PageToStore): Promise<void> {
  await listPageStored(integrationId, page, sql`true`).execute(db)
}

/**
 * Makes the next poll compare the pages with these objects. They were read apart from the list, later than their page, and
 * the PSP may go back to what the page says.
 */
export async function forgetPagesOf(db: Database, integrationId: string, references: readonly string[]): Promise<void> {
  await sql`
    delete from list_page where integration_id = ${integrationId} and object_hashes && ${hashesOf(references)}`.execute(
    db,
  )
}

/** Makes the next poll compare the page, because an object of it is not stored. */
export async function forgetListPage(db: Database, integrationId: string, key: string): Promise<void> {
  await sql`delete from list_page where integration_id = ${integrationId} and page_key = ${key}`.execute(db)
}
