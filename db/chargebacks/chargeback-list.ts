import { type RawBuilder, sql } from 'kysely'
import type { Psp, PspStatus, Status } from '../../domain/chargeback.ts'
import type { Database } from '../core/connect.ts'

/** Ranges include both ends. Numbers of scores are decimal text, so that they compare exactly. */
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

/** Where a walk through the list stands: the last row handed out. */
export interface ListPosition {
  /** `posting_sort` as Postgres prints it; -infinity without a posting date. */
  postingSort: string
  id: string
}

export interface ChargebackPage {
  /** The items as JSON, comma-separated, without the brackets. */
  items: string
  hasMore: boolean
  /** Of the last item; null on an empty page. */
  last: ListPosition | null
}

const date = (column: string) => sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
/** `,"name":"value"`; only for columns that can't hold a quote, a backslash or a control character. */
const plain = (name: string, value: RawBuilder<unknown>) => sql`',"${sql.raw(name)}":"' || ${value} || '"'`
const escaped = (name: string, column: string) => sql`',"${sql.raw(name)}":' || to_json(${sql.ref(column)})::text`
const number = (name: string, value: RawBuilder<unknown>) => sql`',"${sql.raw(name)}":' || ${value}`

/** One chargeback as JSON text. An absent value is null, `||` carries the null, and concat leaves the field out. */
const rendered = sql`concat('{"id":"', c.id, '"',
  ${escaped('chargebackId', 'c.chargeback_id')}, ',"referenceAccountId":', merchant.reference,
  ${plain('integrationId', sql`c.integration_id`)}, ${plain('psp', sql`c.psp`)}, ${escaped('currency', 'c.currency')},
  ${number('amount', sql`trim_scale(c.amount_minor * ('1e-' || c.amount_exponent)::numeric)`)},
  ${plain('postingDate', date('c.posting_date'))},
  ${plain('transactionCreatedDate', date('c.transaction_created_date'))},
  ${plain('dueDate', date('c.due_date'))}, ${plain('pspStatusChangeDate', date('c.psp_status_change_date'))},
  ${plain('pspStatus', sql`c.psp_status`)}, ${plain('status', sql`c.status`)},
  ${plain('lifecycleStage', sql`c.lifecycle_stage`)},
  ${escaped('transactionId', 'c.transaction_id')}, ${escaped('arn', 'c.arn')},
  ${escaped('externalTransactionIdentifier', 'c.external_transaction_identifier')},
  ${escaped('merchantReferenceName', 'c.merchant_reference_name')},
  ${escaped('reasonCode', 'c.reason_code')}, ${escaped('reason', 'c.reason')},
  ${escaped('cardScheme', 'c.card_scheme')}, ${number('enrichmentRatio', sql`trim_scale(c.enrichment_ratio)`)},
  ${number('winProbability', sql`trim_scale(c.win_probability)`)},
  ${plain('roiRecommendation', sql`c.roi_recommendation`)}, ${escaped('bin', 'c.bin')},
  ${escaped('billingCountry', 'c.billing_country')},
  ${number('isEnriched', sql`case when c.is_enriched then 'true' else 'false' end`)},
  ${escaped('paymentMethod', 'c.payment_method')}, ${escaped('cardLastFourDigits', 'c.card_last_four_digits')}, '}')`

const nextMs = (end: Date) => new Date(end.getTime() + 1)

function conditions(merchantUuid: string, filter: ChargebackFilter, after: ListPosition | null): RawBuilder<unknown> {
  const all: RawBuilder<unknown>[] = [sql`merchant_uuid = ${merchantUuid}`, sql`merged_into is null`]
  // Bounds on posting_sort, so that the index of the list serves them; without a posting date nothing is in a range.
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
 * A page of the merchant's chargebacks: posting date descending (none last), then id descending. Rendered by Postgres
 * in one statement; one row more than the page tells whether there is more. A page number skips over the index alone.
 */
export async function listChargebacks(
  db: Database,
  request: { merchantUuid: string; limit: number; page: number; after: ListPosition | null; filter: ChargebackFilter },
): Promise<ChargebackPage> {
  const { limit } = request
  const where = conditions(request.merchantUuid, request.filter, request.after)
  const skip = BigInt(request.page - 1) * BigInt(limit)
  const order = sql`order by posting_sort desc, id desc`
  const rows =
    skip === 0n
      ? sql`(select * from chargeback where ${where} ${order} limit ${limit + 1}) c`
      : sql`(select id from chargeback where ${where} ${order} offset ${skip} limit ${limit + 1}) k
          join chargeback c using (id)`
  const { rows: answer } = await sql<{
    items: string
    has_more: boolean
    posting_sort: string | null
    id: string | null
  }>`
    with merchant as materialized (
      select to_json(reference_id)::text as reference from merchant where merchant_uuid = ${request.merchantUuid}),
    page as (
      select ${rendered} as item, c.posting_sort, c.id,
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
