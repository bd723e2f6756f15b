import { type RawBuilder, sql } from 'kysely'
import type { LifecycleStage, Psp, PspStatus, ReasonGroup, RoiRecommendation, Status } from '../../domain/chargeback.ts'
import { isUuid } from '../../domain/ids.ts'
import { DUE_KEY } from './list-order.ts'

/**
 * Ranges include both ends. Of several values, any one matches. Scores and amounts are decimal text, so that they compare
 * exactly.
 */
export interface ChargebackFilter {
  startDate?: Date | undefined
  endDate?: Date | undefined
  dueAfter?: Date | undefined
  dueBefore?: Date | undefined
  chargebackId?: string | undefined
  psp?: readonly Psp[] | undefined
  pspStatus?: readonly PspStatus[] | undefined
  status?: readonly Status[] | undefined
  lifecycleStage?: readonly LifecycleStage[] | undefined
  reasonGroup?: readonly ReasonGroup[] | undefined
  currency?: readonly string[] | undefined
  /** In units of the currency; the filter then names exactly one. */
  minAmount?: string | undefined
  maxAmount?: string | undefined
  inScope?: boolean | undefined
  recommendation?: RoiRecommendation | undefined
  /** Exactly one of the identifiers, or the last four digits of the card. */
  search?: string | undefined
  minEnrichmentScore?: string | undefined
  maxEnrichmentScore?: string | undefined
  pspStatusChangeStartDate?: Date | undefined
  pspStatusChangeEndDate?: Date | undefined
}

const nextMs = (end: Date) => new Date(end.getTime() + 1)

/** Columns of which a filter names one or several values. */
const NAMED = {
  psp: 'psp',
  pspStatus: 'psp_status',
  status: 'status',
  lifecycleStage: 'lifecycle_stage',
  reasonGroup: 'reason_group',
  currency: 'currency',
} as const

/** The conditions that a chargeback of the list fulfils, without those on its amount. */
function filterConditions(merchantUuid: string, filter: ChargebackFilter): RawBuilder<unknown>[] {
  const all: RawBuilder<unknown>[] = [sql`merchant_uuid = ${merchantUuid}`, sql`merged_into is null`]
  // Bounds on posting_sort use the list's index. A chargeback without a posting date matches no range.
  if (filter.startDate) all.push(sql`posting_sort >= ${filter.startDate}`)
  if (filter.endDate) all.push(sql`posting_sort < ${nextMs(filter.endDate)}`, sql`posting_sort > '-infinity'`)
  if (filter.dueAfter) all.push(sql`${DUE_KEY} >= ${filter.dueAfter}`, sql`${DUE_KEY} < 'infinity'`)
  if (filter.dueBefore) all.push(sql`${DUE_KEY} < ${nextMs(filter.dueBefore)}`)
  if (filter.chargebackId !== undefined) all.push(sql`chargeback_id = ${filter.chargebackId}`)
  for (const [name, column] of Object.entries(NAMED) as [keyof typeof NAMED, string][]) {
    const values = filter[name]
    if (values) all.push(sql`${sql.ref(column)} ${oneOf(values)}`)
  }
  // Lets the partial index serve it.
  if (filter.lifecycleStage && !filter.lifecycleStage.includes('chargeback'))
    all.push(sql`lifecycle_stage <> 'chargeback'`)
  if (filter.inScope !== undefined)
    all.push(
      filter.inScope
        ? sql`(scope_decision ->> 'inScope') is distinct from 'false'`
        : sql`scope_decision ->> 'inScope' = 'false'`,
    )
  if (filter.recommendation) all.push(sql`roi_recommendation = ${filter.recommendation}`)
  if (filter.minEnrichmentScore) all.push(sql`enrichment_ratio >= ${filter.minEnrichmentScore}::numeric`)
  if (filter.maxEnrichmentScore) all.push(sql`enrichment_ratio <= ${filter.maxEnrichmentScore}::numeric`)
  if (filter.pspStatusChangeStartDate) all.push(sql`psp_status_change_date >= ${filter.pspStatusChangeStartDate}`)
  if (filter.pspStatusChangeEndDate) all.push(sql`psp_status_change_date < ${nextMs(filter.pspStatusChangeEndDate)}`)
  return all
}

const oneOf = (values: readonly string[]) =>
  values.length === 1 ? sql`= ${values[0]}` : sql`= any(${[...values]}::text[])`

const FOUR_DIGITS = /^\d{4}$/

/**
 * The rows that the filter selects, without its condition on amounts, for a list in the order of the posting date or
 * another one. `offset 0` has Postgres look for the rows before it orders them: walking through the list until they turn
 * up would read all of the merchant's. A PSP's id names one chargeback of an integration, a search few, and those due from
 * a day on are in one place of their index, but far from it in the list by posting date.
 */
export function filtered(
  merchantUuid: string,
  filter: ChargebackFilter,
  byPostingDate: boolean,
): { from: RawBuilder<unknown>; where: RawBuilder<unknown>[] } {
  const where = filterConditions(merchantUuid, filter)
  const { chargebackId, search, dueAfter } = filter
  const named = (condition: RawBuilder<unknown>) =>
    sql`select id from chargeback where merchant_uuid = ${merchantUuid} and ${condition}`
  if (search !== undefined) {
    const ids = [
      named(sql`chargeback_id = ${search}`),
      named(sql`arn = ${search}`),
      named(sql`transaction_id = ${search}`),
      ...(FOUR_DIGITS.test(search) ? [named(sql`card_last_four_digits = ${search} and merged_into is null`)] : []),
      ...(isUuid(search) ? [named(sql`id = ${search}`)] : []),
    ]
    return { from: sql`(select * from chargeback where id in (${sql.join(ids, sql` union `)}) offset 0) found`, where }
  }
  if (chargebackId !== undefined)
    return {
      from: sql`(select * from chargeback
        where merchant_uuid = ${merchantUuid} and chargeback_id = ${chargebackId} offset 0) named`,
      where,
    }
  if (dueAfter && byPostingDate)
    return {
      from: sql`(select * from chargeback where ${sql.join(where, sql` and `)} offset 0) due`,
      where: [sql`true`],
    }
  return { from: sql`chargeback`, where }
}
