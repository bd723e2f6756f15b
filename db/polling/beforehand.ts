import { sql } from 'kysely'
import { anyRow } from '../core/any-row.ts'
import type { Database } from '../core/connect.ts'

/** A page of a PSP's list whose objects are all stored. */
export interface StoredPage {
  key: string
  /** SHA-256 of the response's body. */
  fingerprint: Buffer
  translationVersion: number
  objects: number
  /** What the adapter needs to continue after it. */
  next: unknown
}

/** What a poll reads of its integration before it asks the PSP. */
export interface Beforehand {
  /** A notification named a dispute that has not been read since, and its next try is due. */
  rereads: boolean
  /** Some chargeback is due to be read again. */
  due: boolean
  /** The transaction of some chargeback has not been read yet, and its next try is due. */
  context: boolean
  /** Posting date of the oldest chargeback that may still change; null when all are closed. */
  oldestOpen: Date | null
  /** Pages that need no comparison while their bytes are the same: none of their objects is due to be read again. */
  pages: StoredPage[]
}

/**
 * By ids of integrations. Two statements for any number of them. They use an index for each, also on tables without statistics.
 * @param mostPages an integration with more stored pages is not in the result
 */
export async function readBeforehand(
  db: Database,
  integrationIds: readonly string[],
  mostPages: number | null = null,
): Promise<Map<string, Beforehand>> {
  const [states, pages] = await Promise.all([
    readStates(db, integrationIds),
    pagesOf(db, integrationIds, mostPages === null ? null : mostPages + 1),
  ])
  const known = new Map(states.map(({ id, ...state }) => [id, { ...state, pages: [] as StoredPage[] }]))
  for (const { id, ...page } of pages) known.get(id)?.pages.push(page)
  if (mostPages !== null) for (const [id, one] of known) if (one.pages.length > mostPages) known.delete(id)
  return known
}

/** As `readBeforehand`, without the pages. */
export async function readStates(db: Database, integrationIds: readonly string[]) {
  const { rows } = await sql<Omit<Beforehand, 'pages'> & { id: string }>`
    select i.id, ${anyRow(sql`from reread where integration_id = i.id and next_attempt_at <= now()
        order by reference`)} as rereads,
      ${anyRow(sql`from chargeback where integration_id = i.id and reread_after <= now() order by reread_after`)} as due,
      ${anyRow(sql`from chargeback where integration_id = i.id and context_at is null and context_after <= now()
        order by context_after`)} as context,
      (select min(posting_date) from chargeback where integration_id = i.id
        and psp_status in ('needs_response', 'under_review', 'unknown')) as "oldestOpen"
    from unnest(${[...integrationIds]}::uuid[]) as i(id)`.execute(db)
  return rows
}

async function pagesOf(db: Database, integrationIds: readonly string[], limit: number | null) {
  const { rows } = await sql<StoredPage & { id: string }>`
    select i.id, p.* from unnest(${[...integrationIds]}::uuid[]) as i(id) cross join lateral (
      select page_key as key, fingerprint, translation_version as "translationVersion", objects, next from list_page
      where integration_id = i.id and (due_at is null or due_at > now()) limit ${limit}::int
    ) p`.execute(db)
  return rows
}
