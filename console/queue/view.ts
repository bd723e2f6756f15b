import type { Operations } from '../api/operations.ts'
import { withQuery } from '../app/router.ts'

type ListQuery = Operations['listChargebacks']['query']
export type Sort = NonNullable<ListQuery['sort']>
type SummaryQuery = Operations['readSummary']['query']

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Filters of several words each, in the order of the bar. Words of a filter without a list come from the data. */
export const CHOICES = {
  psp: { label: 'PSP', words: null },
  lifecycleStage: {
    label: 'Stage',
    words: ['alert', 'inquiry', 'claim', 'chargeback', 'second_chargeback', 'third_chargeback', 'other'],
  },
  reasonGroup: {
    label: 'Reason',
    words: ['fraud', 'authorization', 'processing_error', 'consumer_dispute', 'compliance', 'general'],
  },
  recommendation: { label: 'Advice', words: ['Fight', 'Accept'] },
  status: {
    label: 'Status',
    words: ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented'],
  },
  pspStatus: {
    label: 'At the PSP',
    words: [
      ...['needs_response', 'under_review', 'won', 'lost', 'split', 'not_applicable'],
      ...['evidence_not_submitted_by_psp', 'unknown'],
    ],
  },
} as const
export type Choice = keyof typeof CHOICES

/** Parameters of the address that the list operation knows by the same name. */
const PASSED = [
  ...['psp', 'pspStatus', 'status', 'lifecycleStage', 'reasonGroup', 'recommendation', 'currency', 'inScope', 'search'],
  ...['minAmount', 'maxAmount', 'dueAfter', 'dueBefore', 'startDate', 'endDate'],
]
/** Of the page alone: days until the due date; `month`, decided in the current month. */
const OWN = ['due', 'decided']
/** All that selects rows. Merchant and sort don't. */
export const FILTERS = [...PASSED, ...OWN]

/** Status at the PSP that is shown when the page's address names none. */
const NEEDS_RESPONSE = 'needs_response'

/** Views that everybody has. The first is that of an address without filters. */
export const VIEWS = [
  { name: 'Due this week', query: 'due=7' },
  { name: 'Due in 72 hours', query: 'due=3' },
  { name: 'All open', query: 'pspStatus=needs_response' },
  { name: 'Needs data', query: 'status=waiting_for_data' },
  { name: 'Advice: accept', query: 'recommendation=Accept' },
  { name: 'In progress', query: 'pspStatus=needs_response,under_review&status=building_evidence,pending_psp_results' },
  { name: 'Needs attention', query: 'pspStatus=unknown,evidence_not_submitted_by_psp' },
  { name: 'Decided this month', query: 'pspStatus=won,lost,split&decided=month' },
  { name: 'Out of scope', query: 'inScope=false' },
  { name: 'All chargebacks', query: 'pspStatus=any' },
] as const

/** Filters and sort of an address, in one order and without the merchant: equal for the same view. */
export function viewQuery(address: URLSearchParams): string {
  const given = [...FILTERS, 'sort'].flatMap((name) => {
    const value = address.get(name)
    return value ? [[name, value]] : []
  })
  const isBare = given.every(([name]) => name === 'sort')
  const text = new URLSearchParams(isBare ? [...new URLSearchParams(VIEWS[0].query), ...given] : given).toString()
  return text.replaceAll('%2C', ',')
}

/** An address with the filters of a view: the merchant stays. */
export const withView = (address: URLSearchParams, view: string): string =>
  withQuery(new URLSearchParams(view), { m: address.get('m') ?? undefined })

/** An address with changed filters; those that are not named stay, also those of the first view. Without any, all open ones. */
export function withFilters(address: URLSearchParams, change: Record<string, string | undefined>): string {
  const text = withQuery(new URLSearchParams(viewQuery(address)), { m: address.get('m') ?? undefined, ...change })
  const changed = new URLSearchParams(text)
  if (FILTERS.some((name) => changed.get(name))) return text
  return withQuery(changed, { pspStatus: NEEDS_RESPONSE })
}

/** Words of a filter of the address. */
export const wordsOf = (view: URLSearchParams, name: string): string[] =>
  view.get(name)?.split(',').filter(Boolean) ?? []

/** Words that are ticked in a filter's menu: those of the list, also where the address leaves them out. */
export const chosenWords = (view: URLSearchParams, name: Choice): string[] =>
  name === 'pspStatus' && !view.has(name) ? [NEEDS_RESPONSE] : wordsOf(view, name).filter((word) => word !== 'any')

/**
 * What the list operation is asked for. Those that need a response, unless the address says otherwise; `any` lifts a filter.
 * @param hour the next full hour of the server, ms: the same question for the whole hour
 */
export function listQuery(address: URLSearchParams, hour: number): ListQuery & { sort: Sort } {
  const view = new URLSearchParams(viewQuery(address))
  const passed = PASSED.flatMap((name) => {
    const value = view.get(name)
    return value && value !== 'any' ? [[name, value]] : []
  })
  const query: Record<string, string> = Object.fromEntries(passed)
  if (!view.has('pspStatus')) query.pspStatus = NEEDS_RESPONSE
  const days = Number(view.get('due'))
  if (days > 0 && days <= 3_650) query.dueBefore = new Date(hour + days * DAY).toISOString()
  if (view.get('decided') === 'month')
    // The next hour may be of the next month.
    query.pspStatusChangeStartDate = `${new Date(hour - HOUR).toISOString().slice(0, 7)}-01T00:00:00Z`
  query.sort = view.get('sort') ?? (query.pspStatus === NEEDS_RESPONSE ? 'dueDate' : '-postingDate')
  return query as unknown as ListQuery & { sort: Sort }
}

/** Filters that the sums know, too. */
const SUMMED = ['psp', 'pspStatus', 'status', 'lifecycleStage', 'reasonGroup', 'currency']

/** What the sums of the same rows are asked for; null when they don't know one of the filters. */
export function summaryQuery({ sort: _, ...filters }: ListQuery): SummaryQuery | null {
  return Object.keys(filters).every((name) => SUMMED.includes(name)) ? (filters as SummaryQuery) : null
}

/** Whether all rows need a response: then they are grouped by days left. */
export const isOpenView = (query: ListQuery): boolean => String(query.pspStatus) === NEEDS_RESPONSE

/** Whether the view has only chargebacks that are out of scope. Each row then says why. */
export const isOutOfScope = (query: ListQuery): boolean => String(query.inScope) === 'false'
