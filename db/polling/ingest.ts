import { sql } from 'kysely'
import { alertsOfWritten } from '../alerts/alerts.ts'
import { COMPARED, selected } from '../chargebacks/column-sql.ts'
import { JOINED_OF_WRITTEN } from '../chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../chargebacks/refresh-data.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import { anyRow } from '../core/any-row.ts'
import type { Database } from '../core/connect.ts'
import { PREPARED_FOR_SYSTEM } from '../core/scoped-query.ts'
import type { KeyRing } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { rawStored, somebodyErased, storeRaw } from '../erasure/kept-texts.ts'
import { requestIfRulesChanged } from '../scope-rules/scope-runs.ts'
import { advanceCursor, type Lease } from './lease.ts'
import { forgetListPage, forgetPagesOf, listPageStored, storeListPage } from './list-pages.ts'
import type { Page, Readings, Reread, StoredChargeback } from './page.ts'
import { fitsAtOnce, writePageAtOnce } from './page-at-once.ts'
import { HAS_LOCKS, lockedFirst } from './page-locks.ts'
import { quarantine } from './quarantine.ts'
import { toldOfWritten, writtenRows } from './written.ts'

/**
 * The objects just read that are new, changed, or were due to be read again: one round trip, and no further one when
 * there are none. The lateral form keeps its query plan on a young table, where a plain join would keep a bad one.
 */
export async function findNews(
  db: Database,
  integrationId: string,
  seen: { reference: string; hash: Buffer }[],
  translationVersion: number,
): Promise<{ index: number; changed: boolean; stored: StoredChargeback | null }[]> {
  const { rows } = await sql<{ n: bigint; stored: boolean; changed: boolean } & StoredChargeback>`
    select seen.n, c.id is not null as stored,
      c.content_hash is distinct from seen.hash or c.translation_version <> ${translationVersion} as changed, c.*
    from unnest(${seen.map((one) => one.reference)}::text[], ${seen.map((one) => one.hash)}::bytea[])
      with ordinality as seen(reference, hash, n)
    left join lateral (
      select ${selected(COMPARED)}, ${COMMAND_STATE}, coalesce(reread_after <= now(), false) as "rereadDue",
        content_hash, translation_version
      from chargeback c ${COMMAND_OF_ROUND}
      where c.integration_id = ${integrationId} and c.chargeback_id = seen.reference limit 1
    ) c on true
    where c.content_hash is distinct from seen.hash or c.translation_version <> ${translationVersion} or c."rereadDue"
    order by seen.n ${PREPARED_FOR_SYSTEM}`.execute(db)
  return rows.map(({ n, stored, changed, ...rest }) => ({
    index: Number(n) - 1,
    changed,
    stored: stored ? rest : null,
  }))
}

/**
 * Stores chargebacks, their raw objects, their timeline and their page in one statement. There are further statements if
 * the merchant has sent transaction records for them, or a data subject was erased. A row is written only over the version
 * that the decision is based on, and never with a reading older than the stored one. Skipped readings keep the old hash, so
 * the next reading finds them again. An INACTIVE integration gets no new chargebacks: the integration that connected the
 * account again has them. Rows are locked in the order of their ids, as everywhere, so that writers can't deadlock.
 * @param also ids of further chargebacks that the caller's transaction changes afterwards
 */
export async function storeChargebacks(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  { chargebacks, raw, timeline, rulesVersion, now, page }: Readings,
  also: readonly string[] = [],
): Promise<Counts> {
  if (chargebacks.length === 0) return { created: 0, changed: 0, hasQuarantine: true }
  const erased = somebodyErased(integrationId)
  const allWritten = sql`(select count(*) from written) = ${chargebacks.length}`
  const withRaw = page
    ? sql`, kept as (${rawStored(ring, integrationId, 'dispute', raw, sql`not ${erased}`, page.rawForm)})`
    : sql``
  const withPage = page?.listed?.complete
    ? sql`, listed as (${listPageStored(integrationId, page.listed, allWritten)})`
    : sql``
  const { rows } = await sql<Counts & { joined: string[]; erased: boolean }>`
    with ${lockedFirst(integrationId, chargebacks, also)}, ${writtenRows(
      chargebacks,
      sql`${HAS_LOCKS} and (exists (select from held where status <> 'INACTIVE')
      or exists (select from chargeback e where e.integration_id = r."integrationId" and e.chargeback_id = r."chargebackId"))`,
    )},
    ${toldOfWritten(timeline)}, ${alertsOfWritten(chargebacks)}, ${requestIfRulesChanged(integrationId, rulesVersion)}${withRaw}${withPage}
    select ${erased} as erased,
      ${anyRow(sql`from quarantine where integration_id = ${integrationId} order by hash`)} as "hasQuarantine",
      count(*) filter (where created)::int as created, count(*) filter (where not created)::int as changed,
      ${JOINED_OF_WRITTEN} as joined
    from written`.execute(db)
  const { joined, erased: mayBeErased, ...counts } = rows[0] as (typeof rows)[number]
  if (!page || mayBeErased) await storeRaw(db, ring, integrationId, 'dispute', raw)
  if (!page) {
    const references = chargebacks.map((one) => one.chargebackId)
    await forgetPagesOf(db, integrationId, references)
  }
  await refreshChargebackData(db, ring, joined, {
    now,
    source: String(chargebacks[0]?.psp),
    what: 'transaction joined',
  })
  return counts
}

interface Counts {
  created: number
  changed: number
  /** Whether the integration has objects in quarantine. */
  hasQuarantine: boolean
}

/**
 * Stores a page in one transaction, mostly of one statement, and always of a constant number: cursor with its fence,
 * chargebacks with timeline, raw objects, quarantine, times of the next read. A crash can't skip a page; writing a page
 * twice has no effect.
 * @throws LeaseLost
 */
export async function writePage(
  db: Database,
  ring: KeyRing,
  lease: Lease,
  page: Page,
): Promise<{ created: number; changed: number }> {
  if (!db.isTransaction && fitsAtOnce(page)) {
    const stored = await writePageAtOnce(db, ring, lease, page)
    if (stored) return stored
  }
  return inTransaction(db, async (trx) => {
    await advanceCursor(trx, lease, page.cursor)
    const { integrationId } = lease
    const { chargebacks, quarantined, raw, rereads, listed } = page
    const readings = { ...page, ...(page.cursor && { page }) }
    const reread = rereads.map((one) => one.id)
    const { hasQuarantine, created, changed } = await storeChargebacks(trx, ring, integrationId, readings, reread)
    const good = hasQuarantine ? raw.map((one) => one.reference) : []
    await quarantine(trx, ring, integrationId, quarantined, good, page.translationVersion)
    await setRereads(trx, rereads)
    const complete = listed?.complete && created + changed === chargebacks.length
    if (listed && !complete) await forgetListPage(trx, integrationId, listed.key)
    else if (listed && chargebacks.length === 0) await storeListPage(trx, integrationId, listed)
    return { created, changed }
  })
}

export async function setRereads(db: Database, rereads: Reread[]): Promise<void> {
  if (rereads.length === 0) return
  const after = rereads.map((one) => one.rereadAfter?.toISOString() ?? null)
  await sql`
    update chargeback c set reread_after = r.after from (
      select c.id, r.after
      from unnest(${rereads.map((one) => one.id)}::uuid[], ${after}::timestamptz[]) as r(id, after)
      join chargeback c on c.id = r.id order by c.id for no key update of c
    ) r where c.id = r.id`.execute(db)
}
