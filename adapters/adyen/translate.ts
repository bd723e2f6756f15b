import type { RawObject, Translation } from '../contract.ts'
import { translated, Unmappable } from '../shared/facts.ts'
import { type ReadDispute, readDisputeText } from './dispute-text.ts'
import type { Item } from './events/items.ts'
import { isPaymentEvent, type Projection, reduceEvents } from './events/reduce.ts'
import { amountExponentOf, cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

/** Increment when any result of `toChargeback` changes; stored disputes are then translated again. */
export const TRANSLATION_VERSION = 3

/** Events that open a dispute or a round: they carry the disputed amount, and the first one the date. */
const OPENERS = [
  'NOTIFICATION_OF_CHARGEBACK',
  'CHARGEBACK',
  'DISPUTE_OPENED_WITH_CHARGEBACK',
  'REQUEST_FOR_INFORMATION',
  'NOTIFICATION_OF_FRAUD',
]
const AMOUNTS = [...OPENERS, 'SECOND_CHARGEBACK', 'PREARBITRATION_OPEN']

/** All notifications about one dispute, or a single one, as a chargeback. Pure. */
export function toChargeback(raw: RawObject): Translation {
  return translated(raw, (text) => translate(readDisputeText(text)))
}

function translate(dispute: ReadDispute): Translation {
  const items = dispute.items.filter((item) => !isPaymentEvent(item.eventCode))
  const [first] = items
  if (!first) throw new Unmappable('no notification in it is about a dispute')
  const state = projectionOf(dispute)
  const amount = items.findLast((item) => AMOUNTS.includes(item.eventCode) && item.amount)?.amount ?? lastAmount(items)
  if (!amount) throw new Unmappable('amount is missing')
  const data = (...keys: string[]) => lastOf(items, (item) => firstOf(item, keys))
  const method = lastOf(items, (item) => item.paymentMethod)
  const variant = data('paymentMethodVariant')
  return {
    kind: 'chargeback',
    anomalies: anomaliesOf(dispute, state),
    facts: {
      chargebackId: dispute.reference,
      psp: 'adyen',
      currency: amount.currency,
      amountMinor: BigInt(amount.value),
      amountExponent: amountExponentOf(amount.currency),
      postingDate: (items.find((item) => OPENERS.includes(item.eventCode)) ?? first).eventDate,
      // Only in the payment's own notification: enrichment adds it.
      transactionCreatedDate: null,
      dueDate: state.dueDate,
      pspStatus: state.pspStatus,
      pspStatusChangeDate: state.changedAt,
      lifecycleStage: state.lifecycleStage,
      transactionId: lastOf(items, (item) => item.originalReference),
      arn: data('arn'),
      externalTransactionIdentifier: lastOf(items, (item) => item.merchantReference),
      merchantReferenceName: lastOf(items, (item) => item.merchantAccountCode),
      reasonCode: data('chargebackReasonCode', 'rfiReasonCode', 'nofReasonCode'),
      reason: lastOf(items, (item) => item.reason),
      cardScheme:
        cardSchemeOf(data('chargebackSchemeCode', 'rfiSchemeCode', 'nofSchemeCode')) ??
        cardSchemeOf(method) ??
        cardSchemeOf(variant),
      paymentMethod: paymentMethodOf(variant, method),
      // The number, the cardholder and the address are in the payment's own notification.
      bin: null,
      cardLastFourDigits: null,
      billingCountry: null,
      // The inbox only grows: a reading with more events is newer, even if a late event is old.
      pspSequence: BigInt(dispute.items.length + dispute.marks.length),
    },
  }
}

/** The state of a dispute from its text. */
export function projectionOf({ items, marks }: Pick<ReadDispute, 'items' | 'marks'>): Projection {
  return reduceEvents(
    items,
    marks.filter((mark) => mark.recoup === 'defense').map((mark) => mark.at),
  )
}

function anomaliesOf({ items, unreadable }: ReadDispute, state: Projection): string[] {
  const found = [
    ...new Set(state.anomalies),
    ...new Set(unreadable.map((why) => `a notification could not be read: ${why}`)),
  ]
  if (!items.some((item) => item.originalReference !== null)) found.push('originalReference is missing')
  return found
}

/** The newest value. */
function lastOf(items: readonly Item[], read: (item: Item) => string | null): string | null {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index]
    const value = item ? read(item) : null
    if (value !== null) return value
  }
  return null
}

function lastAmount(items: readonly Item[]): Item['amount'] {
  return items.findLast((item) => item.amount !== null)?.amount ?? null
}

function firstOf(item: Item, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = item.additional[key]
    if (value !== undefined && value.length <= 255) return value
  }
  return null
}
