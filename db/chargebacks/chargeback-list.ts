import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { PREPARED_IN_ORDER } from '../core/scoped-query.ts'
import { DUE_IN, RENDERED, SCOPE_REASON } from './column-sql.ts'
import { type ChargebackFilter, filtered } from './list-filter.ts'
import { type ListPosition, type Order, orderOf, type Sort } from './list-order.ts'

/** Fields that the list adds on request. */
export const EXPANSIONS = ['scopeReason', 'dueIn'] as const
export type Expansion = (typeof EXPANSIONS)[number]
const EXPANDED: Record<Expansion, RawBuilder<string>> = { scopeReason: SCOPE_REASON, dueIn: DUE_IN }

export interface ListRequest {
  merchantUuid: string
  limit: number
  page: number
  after: ListPosition | null
  filter: ChargebackFilter
  sort?: Sort | undefined
  expand?: readonly Expansion[] | undefined
  /** Between two items; default: a comma. */
  separator?: string
}

export interface ChargebackPage {
  /** The items as JSON with the separator between them. */
  items: string
  count: number
  hasMore: boolean
  /** Position of the last item; null on an empty page. */
  last: ListPosition | null
}

/** Whether the filter may drop most of what the walk through the list meets: then it reads nothing but the index. */
const isSifted = (filter: ChargebackFilter): boolean =>
  filter.inScope === false ||
  [filter.minEnrichmentScore, filter.maxEnrichmentScore].some((score) => score !== undefined) ||
  [filter.pspStatusChangeStartDate, filter.pspStatusChangeEndDate, filter.dueAfter].some((date) => date !== undefined)

/** The lists that are read most: newest first, without a filter or of one status. An index has each in that order. */
const isPlain = ({ filter, page, sort = '-postingDate', expand = [] }: ListRequest): boolean => {
  const { status, ...others } = filter
  const isUnfiltered = Object.values(others).every((value) => value === undefined)
  return (
    isUnfiltered &&
    (status === undefined || status.length === 1) &&
    page === 1 &&
    sort === '-postingDate' &&
    expand.length === 0
  )
}

/** The rows `c` of the page and one more. A page number and a sifting filter read nothing but the index first. */
function rowsOf({ merchantUuid, filter, after, limit, page, sort }: ListRequest, order: Order): RawBuilder<unknown> {
  const source = filtered(merchantUuid, filter, sort === undefined || sort.endsWith('postingDate'))
  const skip = BigInt(page - 1) * BigInt(limit)
  const [first, ...others] = order
    .branches(after, { min: filter.minAmount, max: filter.maxAmount })
    .map(({ where, by }) => ({ where: sql.join([...source.where, ...where], sql` and `), by }))
  if (!first) throw new Error('an order has a branch')
  if (others.length > 0) {
    const parts = [first, ...others].map(
      ({ where, by }) => sql`(select id, amount_minor, amount_exponent from ${source.from} where ${where} ${by}
        limit ${skip + BigInt(limit) + 1n})`,
    )
    return sql`(select id from (${sql.join(parts, sql` union all `)}) merged ${order.by} offset ${skip} limit ${limit + 1}) k
      join chargeback c using (id)`
  }
  const { where, by } = first
  return skip > 0n || isSifted(filter)
    ? sql`(select id from ${source.from} where ${where} ${by} offset ${skip} limit ${limit + 1}) k
        join chargeback c using (id)`
    : sql`(select * from ${source.from} where ${where} ${by} limit ${limit + 1}) c`
}

/**
 * A page of the merchant's chargebacks. Postgres renders each row in the one statement, and reads one row more than the
 * page, to know whether there are more.
 */
export async function listChargebacks(db: Database, request: ListRequest): Promise<ChargebackPage> {
  const { merchantUuid, limit, sort = '-postingDate', expand = [], separator = ',' } = request
  const order = orderOf(sort)
  const item =
    expand.length === 0
      ? RENDERED
      : sql`concat(left(${RENDERED}, -1), ${sql.join(expand.map((one) => EXPANDED[one]))}, '}')`
  // Planning is most of what a list costs. Joining the items here is far cheaper than planning an aggregate.
  // Node reads one column in less time than three: the item, which begins with the id, and after it the key.
  const { rows } = await sql<{ row: string }>`
    select concat(${item}, (${order.key})::text) as row from ${rowsOf(request, order)} cross join (
      select to_json(reference_id)::text as reference from merchant where merchant_uuid = ${merchantUuid}) merchant
    ${isPlain(request) ? sql`${order.by} ${PREPARED_IN_ORDER}` : order.by}`.execute(db)
  const page = rows.slice(0, limit)
  const items = page.map(({ row }) => row.slice(0, endOf(row))).join(separator)
  const end = page.at(-1)?.row
  const last = end === undefined ? null : { key: end.slice(endOf(end)), id: end.slice(ID.from, ID.to) }
  return { items, count: page.length, hasMore: rows.length > limit, last }
}

/** Where the JSON of an item ends. A key is a number or a time. */
const endOf = (row: string) => row.lastIndexOf('}') + 1
/** The id in the JSON of an item: `{"id":"…"`. */
const ID = { from: '{"id":"'.length, to: '{"id":"'.length + 36 }
