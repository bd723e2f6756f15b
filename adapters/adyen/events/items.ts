import { isCurrency } from '../../../domain/money.ts'
import { Unmappable } from '../../shared/facts.ts'
import { asRecord, sliceJson, sliceMember } from '../../shared/raw-json.ts'
import { instantAt, parsed, recordAt, requiredText, textAt } from '../facts.ts'

/** One parsed NotificationRequestItem. Every value in additionalData is a string at Adyen, also "true" and "false". */
export interface Item {
  eventCode: string
  pspReference: string
  originalReference: string | null
  merchantAccountCode: string | null
  merchantReference: string | null
  /** ISO 8601 UTC. */
  eventDate: string
  paymentMethod: string | null
  reason: string | null
  success: boolean
  amount: { currency: string; value: number } | null
  additional: Record<string, string>
  /** ISO 8601 UTC. */
  defensePeriodEndsAt: string | null
  disputeStatus: string | null
}

/** @throws Unmappable with the invalid field */
export function readItem(value: unknown): Item {
  const item = asRecord(value)
  if (!item) throw new Unmappable('it is not an object')
  const data = recordAt(item, 'additionalData') ?? {}
  const eventDate = instantAt(item, 'eventDate')
  if (eventDate === null) throw new Unmappable('eventDate is missing')
  return {
    eventCode: requiredText(item, 'eventCode'),
    pspReference: requiredText(item, 'pspReference'),
    originalReference: textAt(item, 'originalReference'),
    merchantAccountCode: textAt(item, 'merchantAccountCode'),
    merchantReference: textAt(item, 'merchantReference', 500),
    eventDate,
    paymentMethod: textAt(item, 'paymentMethod'),
    reason: textAt(item, 'reason', 2000),
    success: item.success === 'true' || item.success === true,
    amount: amountOf(item),
    additional: stringsOf(data),
    defensePeriodEndsAt: instantAt(data, 'defensePeriodEndsAt'),
    disputeStatus: textAt(data, 'disputeStatus'),
  }
}

/** Omits values that can't be stored: in additionalData only an invalid deadline may make a notification unmappable. */
function stringsOf(data: Record<string, unknown>): Record<string, string> {
  const strings: Record<string, string> = {}
  for (const key of Object.keys(data)) {
    try {
      const value = textAt(data, key, 2000)
      if (value !== null) strings[key] = value
    } catch {}
  }
  return strings
}

/** Null for events without an amount (0 without a currency). */
function amountOf(item: Record<string, unknown>): Item['amount'] {
  const amount = recordAt(item, 'amount')
  if (amount === null) throw new Unmappable('amount is missing')
  const { value } = amount
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new Unmappable('amount is not a whole number of minor units')
  }
  const currency = textAt(amount, 'currency')?.toUpperCase() ?? null
  if (currency === null && value === 0) return null
  if (currency === null || !isCurrency(currency)) throw new Unmappable('currency is unknown')
  return { currency, value: value as number }
}

/** One item as text, cut from the delivery, with its parsed value. */
export interface RawItem {
  text: string
  value: unknown
  /** Null when the item has no readable reference. */
  eventCode: string | null
  pspReference: string | null
  originalReference: string | null
}

/** The items of a delivery, `{live, notificationItems: [{NotificationRequestItem}]}`. Empty for anything else. */
export function itemsOf(body: string): RawItem[] {
  return (sliceJson(body, 'notificationItems') ?? []).map((wrapper) => {
    const text = sliceMember(wrapper, 'NotificationRequestItem') ?? wrapper
    return rawItem(text)
  })
}

export function rawItem(text: string): RawItem {
  const value = parsed(text)
  return {
    text,
    value: value ?? text,
    eventCode: word(value?.eventCode),
    pspReference: word(value?.pspReference),
    originalReference: word(value?.originalReference),
  }
}

/** References that a stored notification is indexed by. */
function word(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null
}

export function isLive(body: string): boolean {
  const live = parsed(body)?.live
  return live === true || live === 'true'
}

/** Posted objects, in any form that `readDisputeText` accepts, as one delivery of the test environment. */
export function joinPosted(objects: readonly string[]): string {
  const items = objects.flatMap((text) => sliceJson(text, 'items') ?? sliceJson(text, 'notificationItems') ?? [text])
  const wrapped = items.map(
    (item) => `{"NotificationRequestItem":${sliceMember(item, 'NotificationRequestItem') ?? item}}`,
  )
  return `{"live":"false","notificationItems":[${wrapped.join(',')}]}`
}
