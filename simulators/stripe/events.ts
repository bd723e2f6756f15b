import { createHmac } from 'node:crypto'
import type { DisputeLookup, DisputePlan, EventDraft, EventRecord, Json, JsonObject } from '../engine/contract.ts'
import { movesFunds } from './dispute.ts'
import { API_VERSION } from './keys.ts'
import { situationOf } from './situations.ts'

/** Version of accounts that never upgraded: an event is rendered in the version of its account, not of the request. */
const OLD_VERSION = '2023-08-16'
const FINAL = ['won', 'lost', 'warning_closed', 'prevented']

/** Notifications from before the subscription. */
export function firstEvents(plan: DisputePlan): { type: string; at: number }[] {
  const { word, variant } = situationOf(plan)
  const moved = movesFunds(variant)
  const events = [{ type: 'charge.dispute.created', at: plan.createdAt }]
  if (moved) events.push({ type: 'charge.dispute.funds_withdrawn', at: plan.createdAt })
  if (FINAL.includes(word)) events.push({ type: 'charge.dispute.closed', at: plan.endedAt })
  if (moved && word === 'won') events.push({ type: 'charge.dispute.funds_reinstated', at: plan.endedAt })
  return events
}

/** Stripe's events for a change: always updated, closed at the end, funds when money moved. */
export function eventsBetween(before: JsonObject, after: JsonObject): EventDraft[] {
  const previous: JsonObject = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) previous[key] = before[key] ?? null
  }
  if (Object.keys(previous).length === 0) return []
  const drafts: EventDraft[] = [{ type: 'charge.dispute.updated', previous }]
  const ended = before.status !== after.status && FINAL.includes(String(after.status))
  if (ended) drafts.push({ type: 'charge.dispute.closed', previous: null })
  for (const money of newTransactions(before, after)) {
    const type = money < 0 ? 'charge.dispute.funds_withdrawn' : 'charge.dispute.funds_reinstated'
    drafts.push({ type, previous: null })
  }
  return drafts
}

function newTransactions(before: JsonObject, after: JsonObject): number[] {
  const amounts = (object: JsonObject): number[] =>
    Array.isArray(object.balance_transactions)
      ? object.balance_transactions.map((entry) => Number((entry as JsonObject | null)?.amount ?? 0))
      : []
  return amounts(after).slice(amounts(before).length)
}

/** The event as the API and webhooks show it. One in four comes from an account on an older version. */
export function renderEvent(engine: DisputeLookup, event: EventRecord): JsonObject {
  const record = engine.find(event.reference, event.account)
  const text = event.text ?? (record?.plan ? JSON.stringify(engine.profile.build(record.plan)) : 'null')
  const old = event.sequence % 4 === 3
  const object = JSON.parse(text) as JsonObject
  return {
    id: event.id,
    object: 'event',
    ...(event.account === engine.profile.homeAccount ? {} : { account: event.account }),
    api_version: old ? OLD_VERSION : API_VERSION,
    created: event.at,
    data: {
      object: old ? olderShape(object) : object,
      ...(event.previous ? { previous_attributes: event.previous } : {}),
    },
    livemode: false,
    pending_webhooks: 0,
    request: { id: null, idempotency_key: null },
    type: event.type,
  }
}

function olderShape(dispute: JsonObject): JsonObject {
  const { enhanced_eligibility_types: _, intended_submission_method: __, ...rest } = dispute
  const details = rest.evidence_details
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return rest
  const { enhanced_eligibility: ___, submission_method: ____, ...older } = details
  return { ...rest, evidence_details: older as Json }
}

/** Signed like Stripe's: HMAC-SHA256 over `t.body` with the endpoint's secret. */
export function notification(
  engine: DisputeLookup,
  event: EventRecord,
  secret: string,
  signedAt: number,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(renderEvent(engine, event), null, 2)
  const signature = createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${signedAt},v1=${signature}`,
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    },
  }
}
