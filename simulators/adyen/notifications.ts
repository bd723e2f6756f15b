import { createHmac } from 'node:crypto'
import type { DisputeLookup, DisputePlan, EventDraft, EventRecord, JsonObject } from '../engine/contract.ts'
import type { Malformed } from '../engine/control/bodies.ts'
import { buildDispute, itemsIn } from './dispute.ts'
import { authorisationItem } from './payment.ts'

/** Notifications from before the subscription: the payment, then each step of the dispute. */
export function firstEvents(plan: DisputePlan): { type: string; at: number }[] {
  const steps = buildDispute(plan).items.map(({ eventCode, eventDate }) => ({
    type: String(eventCode),
    at: Date.parse(String(eventDate)) / 1000,
  }))
  return [{ type: 'AUTHORISATION', at: plan.chargedAt }, ...steps]
}

/** One event per item that is new or different. */
export function eventsBetween(before: JsonObject, after: JsonObject): EventDraft[] {
  const known = itemsIn(before).map((item) => JSON.stringify(item))
  return itemsIn(after).flatMap((item, index) =>
    JSON.stringify(item) === known[index] ? [] : [{ type: String(item.eventCode), previous: { item: index } }],
  )
}

export function plantedEvents(object: JsonObject): EventDraft[] {
  return itemsIn(object).map((item, index) => ({ type: String(item.eventCode), previous: { item: index } }))
}

/** The delivery of one event, with Adyen's signature inside the item, over eight of its fields. */
export function notification(
  engine: DisputeLookup,
  event: EventRecord,
  secret: string,
): { body: string; headers: Record<string, string> } {
  const item = itemOf(engine, event)
  const data = typeof item.additionalData === 'object' ? (item.additionalData as JsonObject) : {}
  const signed = { ...item, additionalData: { ...data, hmacSignature: sign(item, secret) } }
  const text = typeof item === 'object' && Object.keys(item).length > 0 ? JSON.stringify(signed) : '{}'
  return {
    // A lone surrogate must be sent unchanged.
    body: `{"live":"false","notificationItems":[{"NotificationRequestItem":${text}}]}`,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Adyen HttpClient 1.0' },
  }
}

/** Neither the status nor the environment is signed. */
export function alterNotification(body: string, how: 'altered' | 'wrong_environment'): string {
  const delivery = JSON.parse(body) as { live: string; notificationItems: { NotificationRequestItem: JsonObject }[] }
  if (how === 'wrong_environment') return JSON.stringify({ ...delivery, live: 'true' })
  for (const { NotificationRequestItem: item } of delivery.notificationItems) {
    item.additionalData = { ...(item.additionalData as JsonObject), disputeStatus: 'Won' }
  }
  return JSON.stringify(delivery)
}

function itemOf(engine: DisputeLookup, event: EventRecord): JsonObject {
  const record = engine.find(event.reference, event.account)
  const plan = record?.plan
  if (event.type === 'AUTHORISATION' && event.previous === null && plan) return authorisationItem(plan)
  const object = JSON.parse(event.text ?? record?.text ?? 'null') as JsonObject | null
  const items = itemsIn(object ?? ((plan ? buildDispute(plan) : {}) as JsonObject))
  const index = event.previous?.item ?? (plan ? plannedIndex(plan, event) : 0)
  return items[Number(index)] ?? items[0] ?? {}
}

function plannedIndex(plan: DisputePlan, { type, at }: EventRecord): number {
  return firstEvents(plan)
    .slice(1)
    .findIndex((step) => step.type === type && step.at === at)
}

/** HMAC-SHA256, base64, with the key decoded from hex. */
export function sign(item: JsonObject, hexKey: string): string {
  const amount = (item.amount ?? {}) as JsonObject
  const { pspReference, originalReference, merchantAccountCode, merchantReference, eventCode, success } = item
  const fields = [pspReference, originalReference, merchantAccountCode, merchantReference]
  const text = [...fields, amount.value, amount.currency, eventCode, success].map((part) => part ?? '').join(':')
  return createHmac('sha256', Buffer.from(hexKey, 'hex')).update(text, 'utf8').digest('base64')
}

/** A dispute whose single notification has one malformation. */
export function malformedText(kind: Malformed, object: JsonObject): string {
  const [first = {}] = itemsIn(object)
  const amount = first.amount as JsonObject
  const item: JsonObject = { ...first }
  const text = (fields: JsonObject): string => JSON.stringify({ ...object, items: [{ ...item, ...fields }] })
  switch (kind) {
    case 'amount_text':
      return text({ amount: { ...amount, value: 'twelve' } })
    case 'amount_float':
      return text({ amount: { ...amount, value: 10.995 } })
    case 'amount_huge':
      return text({ amount: { ...amount, value: '@@' } }).replace('"@@"', '1e30')
    case 'amount_missing':
      delete item.amount
      return text({})
    case 'id_null':
      return text({ pspReference: null })
    case 'id_missing':
      delete item.pspReference
      return text({})
    case 'created_text':
      return text({ eventDate: 'yesterday' })
    case 'currency_unknown':
      return text({ amount: { ...amount, currency: 'ZZZ' } })
    case 'status_missing':
      delete item.eventCode
      return text({})
    case 'status_unknown':
      return text({ additionalData: { ...(first.additionalData as JsonObject), disputeStatus: 'status_of_next_year' } })
    case 'nul_character':
      return text({ reason: 'general\u0000general' })
    case 'lone_surrogate':
      return text({ reason: '@@' }).replace('@@', '\\ud800')
    case 'not_an_object':
      return '"a text where an object should be"'
  }
}
