import { type RawBuilder, sql } from 'kysely'
import type { Psp, PspStatus, Status } from '../../domain/chargeback.ts'
import type { Database } from '../core/connect.ts'
import { RENDERED } from './column-sql.ts'

/** Ranges include both ends. Scores are decimal text, so that they compare exactly. */
export interface ChargebackFilter {
  startDate?: Date | undefined
  endDate?: Date | undefined
  chargebackId?: string | undefined
  psp?: Psp | undefined
  pspStatus?: PspStatus | undefined
  status?: Status | undefined
  minEnrichmentScore?: string | undefined
  maxEnrichmentScore?: string | undefined
  pspStatusChangeStartDate?: Date | undefined
  pspStatusChangeEndDate?: Date | undefined
}

/** Position in the list: the last row that was returned. */
export interface ListPosition {
  /** `posting_sort` as Postgres prints it; -infinity without a posting date. */
  postingSort: string
  id: string
}

export interface ChargebackPage {
  /** The items as JSON, comma-separated, without brackets. */
  items: string
  hasMore: boolean
  /** Position of the last item; null on an empty page. */
  last: ListPosition | null
}

const nextMs = (end: Date) => new Date(end.getTime() + 1)

function conditions(merchantUuid: string, filter: ChargebackFilter, after: ListPosition | null): RawBuilder<unknown> {
  const all: RawBuilder<unknown>[] = [sql`merchant_uuid = ${merchantUuid}`, sql`merged_into is null`]
  // Bounds on posting_sort use the list's index. A chargeback without a posting date matches no range.
  if (filter.startDate) all.push(sql`posting_sort >= ${filter.startDate}`)
  if (filter.endDate) all.push(sql`posting_sort < ${nextMs(filter.endDate)}`, sql`posting_sort > '-infinity'`)
  if (filter.chargebackId !== undefined) all.push(sql`chargeback_id = ${filter.chargebackId}`)
  if (filter.psp) all.push(sql`psp = ${filter.psp}`)
  if (filter.pspStatus) all.push(sql`psp_status = ${filter.pspStatus}`)
  if (filter.status) all.push(sql`status = ${filter.status}`)
  if (filter.minEnrichmentScore) all.push(sql`enrichment_ratio >= ${filter.minEnrichmentScore}::numeric`)
  if (filter.maxEnrichmentScore) all.push(sql`enrichment_ratio <= ${filter.maxEnrichmentScore}::numeric`)
  if (filter.pspStatusChangeStartDate) all.push(sql`psp_status_change_date >= ${filter.pspStatusChangeStartDate}`)
  if (filter.pspStatusChangeEndDate) all.push(sql`psp_status_change_date < ${nextMs(filter.pspStatusChangeEndDate)}`)
  if (after) all.push(sql`(posting_sort, id) < (${after.postingSort}::timestamptz, ${after.id}::uuid)`)
  return sql.join(all, sql` and `)
}

/**
 * A PSP's id names one chargeback of an integration. `offset 0` has Postgres look for it first, also without statistics:
 * walking through the list until it turns up would read all of the merchant's.
 */
function sourceOf({ merchantUuid, filter }: { merchantUuid: string; filter: ChargebackFilter }): RawBuilder<unknown> {
  if (filter.chargebackId === undefined) return sql`chargeback`
  return sql`(select * from chargeback
    where merchant_uuid = ${merchantUuid} and chargeback_id = ${filter.chargebackId} offset 0) named`
}

/** Whether the filter may drop most of what the walk through the list meets: then it reads nothing but the index. */
const isSifted = (filter: ChargebackFilter): boolean =>
  [filter.minEnrichmentScore, filter.maxEnrichmentScore].some((score) => score !== undefined) ||
  [filter.pspStatusChangeStartDate, filter.pspStatusChangeEndDate].some((date) => date !== undefined)

/**
 * A page of the merchant's chargebacks: posting date descending (none last), then id descending. Postgres renders it in
 * one statement and reads one row more than the page, to know whether there are more. A page number skips rows in the
 * index only.
 */
export async function listChargebacks(
  db: Database,
  request: { merchantUuid: string; limit: number; page: number; after: ListPosition | null; filter: ChargebackFilter },
): Promise<ChargebackPage> {
  const { limit } = request
  const where = conditions(request.merchantUuid, request.filter, request.after)
  const source = sourceOf(request)
  const skip = BigInt(request.page - 1) * BigInt(limit)
  const order = sql`order by posting_sort desc, id desc`
  const rows =
    skip > 0n || isSifted(request.filter)
      ? sql`(select id from ${source} where ${where} ${order} offset ${skip} limit ${limit + 1}) k
          join chargeback c using (id)`
      : sql`(select * from ${source} where ${where} ${order} limit ${limit + 1}) c`
  const { rows: answer } = await sql<{
    items: string
    has_more: boolean
    posting_sort: string | null
    id: string | null
  }>`
    with merchant as materialized (
      select to_json(reference_id)::text as reference from merchant where merchant_uuid = ${request.merchantUuid}),
    page as (
      select ${RENDERED} as item, c.posting_sort, c.id,
        row_number() over (order by c.posting_sort desc, c.id desc) as n
      from ${rows} cross join merchant)
    select coalesce(string_agg(item, ',' order by n) filter (where n <= ${limit}), '') as items,
      count(*) > ${limit} as has_more,
      (array_agg(posting_sort::text order by n desc) filter (where n <= ${limit}))[1] as posting_sort,
      (array_agg(id::text order by n desc) filter (where n <= ${limit}))[1] as id
    from page`.execute(db)
  const page = answer[0]
  if (!page) throw new Error('an aggregate answers one row')
  const last = page.id && page.posting_sort ? { postingSort: page.posting_sort, id: page.id } : null
  return { items: page.items, hasMore: page.has_more, last }
}
