import type { DisputeRecord, JsonObject } from '../engine/contract.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid, PayPalRefusal } from './errors.ts'
import { outcomeOf } from './lifecycle.ts'
import { disputeHref } from './links.ts'
import { honourTestValue } from './test-values.ts'
import { plannedUpdate, secondsOf, wholeSecond } from './time.ts'

export const LIST_PARAMETERS = [
  'update_time_after',
  'update_time_before',
  'create_time_after',
  'create_time_before',
  'dispute_state',
  'disputed_transaction_id',
  'page_size',
  'page',
  'start_time',
] as const

const LOOKBACK = 180 * 86_400
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i

/** GET /v1/customer/disputes: newest creation first, filtered by update, at most 50 pages of 50. */
export function listDisputes({ engine, account, query }: PayPalRequest): string {
  const size = whole(query, 'page_size', 10, 'INVALID_PAGE_SIZE')
  const page = whole(query, 'page', 1, 'INVALID_PAGE')
  const now = engine.now()
  const after = timeOf(query, 'update_time_after', now) ?? now - LOOKBACK
  const before = timeOf(query, 'update_time_before', now) ?? now
  const created = {
    from: timeOf(query, 'create_time_after', now) ?? timeOf(query, 'start_time', now) ?? undefined,
    until: timeOf(query, 'create_time_before', now) ?? undefined,
  }
  const linked = linkedTo(query, account)
  const states = query.get('dispute_state')?.split(',') ?? null
  const { items, hasMore } = account.disputes.page({
    ...created,
    limit: page * size,
    matches: (record) => {
      const updatedAt = updatedAtOf(engine, record)
      if (updatedAt < after || updatedAt > before) return false
      if (linked && !linked.includes(record)) return false
      return states === null || states.includes(String(engine.read(record).dispute_state))
    },
  })
  const rows = items.slice((page - 1) * size).map((record) => summaryText(engine, record))
  const links = [link('self', query, page), link('first', query, 1)]
  if (hasMore && page < 50) links.push(link('next', query, page + 1))
  // PayPal omits an empty list.
  return `{${rows.length > 0 ? `"items":[${rows.join(',')}],` : ''}"links":${JSON.stringify(links)}}`
}

/** GET /v1/customer/disputes/{id} */
export function retrieveDispute(request: PayPalRequest): string {
  return request.engine.text(recordOf(request))
}

export function recordOf({ account, id }: PayPalRequest): DisputeRecord {
  const record = account.byReference.get(id)
  if (!record) throw new PayPalRefusal(404, 'INVALID_RESOURCE_ID')
  return record
}

const updates = new WeakMap<DisputeRecord, { text: string | null; at: number }>()

function updatedAtOf(engine: DisputeEngine, record: DisputeRecord): number {
  if (record.text === null && record.plan) return plannedUpdate(record.plan)
  const known = updates.get(record)
  if (known && known.text === record.text) return known.at
  const object: unknown = engine.read(record)
  const at = secondsOf((object as JsonObject | null)?.update_time) ?? record.at
  updates.set(record, { text: record.text, at })
  return at
}

/** A list row: times without milliseconds, three ids of the transaction, only the link to itself. */
function summaryText(engine: DisputeEngine, record: DisputeRecord): string {
  const object: unknown = engine.read(record)
  if (typeof object !== 'object' || object === null) return engine.text(record)
  const dispute = object as JsonObject
  const kept = ['dispute_id', 'create_time', 'update_time', 'reason', 'status', 'dispute_state', 'dispute_amount']
  kept.push('dispute_asset', 'dispute_life_cycle_stage', 'dispute_channel', 'seller_response_due_date')
  const row = Object.fromEntries(Object.entries(dispute).filter(([name]) => kept.includes(name)))
  const outcome = outcomeOf(dispute)
  const [first] = Array.isArray(dispute.disputed_transactions) ? dispute.disputed_transactions : []
  const { buyer_transaction_id, buyer, seller } = (first ?? {}) as Record<string, JsonObject | undefined>
  return JSON.stringify({
    ...row,
    create_time: wholeSecond(dispute.create_time),
    update_time: wholeSecond(dispute.update_time),
    ...(outcome !== null && { outcome: outcome === 'RESOLVED_BUYER_FAVOUR' ? 'LOST' : 'WON' }),
    disputed_transactions: [
      { buyer_transaction_id, buyer: { payer_id: buyer?.payer_id }, seller: { merchant_id: seller?.merchant_id } },
    ],
    links: [{ href: disputeHref(String(dispute.dispute_id)), rel: 'self', method: 'GET' }],
  })
}

function link(rel: string, query: URLSearchParams, page: number): { href: string; rel: string; method: string } {
  const parameters = new URLSearchParams(query)
  parameters.set('page', String(page))
  const host = rel === 'next' ? 'api-m.paypal.com' : 'api.sandbox.paypal.com'
  return { href: `https://${host}/v1/customer/disputes?${parameters}`, rel, method: 'GET' }
}

function linkedTo(query: URLSearchParams, account: PayPalRequest['account']): DisputeRecord[] | null {
  const id = query.get('disputed_transaction_id')
  if (id === null) return null
  honourTestValue('list', id)
  if (query.has('start_time')) throw new PayPalRefusal(400, 'INVALID_REQUEST', 'MUTUALLY_EXCLUSIVE', '/start_time')
  const linked = account.byLink.get(id)
  // An unknown id is an error, not an empty list.
  if (!linked) throw new PayPalRefusal(400, 'INVALID_REQUEST', 'INVALID_TRANSACTION_ID', '/disputed_transaction_id')
  return linked
}

function whole(query: URLSearchParams, name: string, otherwise: number, issue: string): number {
  const value = query.get(name)
  if (value === null) return otherwise
  if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 50) throw invalid(issue, `/${name}`)
  return Number(value)
}

/** Seconds; within the last 180 days and not in the future. */
function timeOf(query: URLSearchParams, name: string, now: number): number | null {
  const value = query.get(name)
  if (value === null) return null
  const seconds = TIME.test(value) ? secondsOf(value) : null
  if (seconds === null) throw invalid('INVALID_START_TIME_FORMAT', `/${name}`)
  if (seconds > now) throw invalid('DATE_CAN_NOT_BE_IN_FUTURE', `/${name}`)
  if (seconds < now - LOOKBACK) throw invalid('INVALID_START_TIME_RANGE', `/${name}`)
  return seconds
}
