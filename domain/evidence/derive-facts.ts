import { shippingAddressOf } from '../assessment/compelling-evidence.ts'
import {
  cardReadOf,
  isAddressMatch,
  isSecurityCodeMatch,
  threeDsResultOf,
  threeDsResultOfEci,
} from './check-results.ts'
import { cleanText, excerpt, printable } from './clean-text.ts'
import { FACT_NAMES, FACTS, type FactName } from './fact-catalogue.ts'
import type { Fact, Facts, FactValue } from './gather-facts.ts'
import { type Correspondence, messageOf } from './structures/correspondence.ts'
import type { OrderItems } from './structures/order-items.ts'
import { logAnchor, shortLog } from './texts/activity-log.ts'
import { isAfterInstant, isBefore, isDaysBefore, readDate, type WrittenDate } from './written-dates.ts'
import { type WrittenMoney, writeMoney } from './written-money.ts'

/** Earlier purchases with the same customer identifiers, such as the IP address, device or account. */
export interface EarlierPurchases {
  dates: readonly string[]
  /** The PSP's ids, in the order of the dates; absent where only sentences are written. */
  ids?: readonly string[]
  /** Names of the fields that are equal in all of them and the disputed purchase. */
  matched: readonly string[]
  /** The later one, by the names of `POST /transactions`; absent where only sentences are written. */
  latest?: { transactionId: string; fields: Readonly<Record<string, unknown>> }
}

/** What facts are derived from, besides other facts. */
export interface History {
  earlier: EarlierPurchases | null
  /** Days of earlier payments of the same customer, oldest first; no dispute is known for them. */
  earlierPayments?: readonly string[]
  now: Date
}

const ADDRESS = 'transactionShippingToFullShippingAddress'
/** Visa's identifiers; the e-mail address is none of them. */
const IDENTIFIERS: Readonly<Record<string, string>> = {
  transactionOrderIpAddress: 'IP address',
  transactionOrderDeviceId: 'device',
  [ADDRESS]: 'delivery address',
  transactionOrderSteamId: 'customer account',
}
const STRONG = ['IP address', 'device']

/** Visa's condition that names trials, and how many days before the payment it wants the customer notified. */
const MISREPRESENTATION = '13.5'
const NOTICE_DAYS = 7

/** Adds what follows from other facts. Call it after contradicted facts are gone. */
export function deriveFacts(facts: Facts, { earlier: found, earlierPayments = [], now }: History): Facts {
  const text = (name: FactName) => facts[name]?.value as string | undefined
  const date = (name: FactName) => facts[name]?.value as WrittenDate | undefined
  const before = (one: FactName, other: FactName) => {
    const [a, b] = [date(one), date(other)]
    return a !== undefined && b !== undefined && isBefore(a, b)
  }
  const expected = date('expectedDeliveryDate')
  const secure = text('threeDsResult') ?? null
  const byEci = threeDsResultOfEci(text('eci') ?? '')
  const outcome = secure === null ? null : threeDsResultOf(secure)
  const earlier = found && { ...found, matched: found.matched.filter((name) => isKnown(facts, name)) }
  const shared = (earlier?.matched ?? []).flatMap((name) => IDENTIFIERS[name] ?? [])
  const enough = shared.length >= 2 && STRONG.some((one) => shared.includes(one)) && earlier?.dates.length === 2
  const addressMatched = isAddressMatch(text('avsResult') ?? '', text('cardScheme') ?? null)
  const derived: [FactName, FactValue | false][] = [
    // The PSP's description is often an order number: the customer was shown something else.
    ['goodsDescribed', facts.goods !== undefined && facts.goods.source !== 'psp'],
    ['addressMatched', addressMatched],
    ['securityCodeMatched', isSecurityCodeMatch(text('cvvResult') ?? '')],
    ['confirmedAddress', addressMatched && isSameAddress(facts)],
    ['cardRead', cardReadOf(text('cardEntry') ?? '') ?? false],
    ['origin', originOf(facts)],
    ['authenticated', outcome === 'authenticated'],
    ['authenticationAttempted', outcome === 'attempted'],
    ['orderTotal', totalOf(facts) ?? false],
    ['activityEntries', entriesOf(text('accessActivityLog'), logAnchor(facts))],
    ['refundedBeforeDispute', before('refundDate', 'postingDate')],
    // Who reads it later must find it true: the delivery is due after the dispute, too.
    [
      'deliveryNotDue',
      expected !== undefined &&
        !date('deliveryDate') &&
        isAfterInstant(expected, now) &&
        before('postingDate', 'expectedDeliveryDate'),
    ],
    ['paidBeforeCancellation', before('transactionCreatedDate', 'cancellationDate')],
    ['servedBeforeCancellation', before('serviceDate', 'cancellationDate')],
    ['usedAfterCancellation', before('cancellationDate', 'lastUseDate') && before('lastUseDate', 'postingDate')],
    ['trialNotice', text('reasonCode') === MISREPRESENTATION && isNoticeInTime(facts)],
    ['earlierPurchaseDates', enough && earlier ? earlier.dates : false],
    ['earlierPurchaseIds', (enough && earlier?.ids) || false],
    ['sharedIdentifiers', enough ? shared : false],
    ...(enough && earlier ? latestPurchase(earlier) : []),
    ['earlierPayments', earlierPayments.length > 0 && earlierPayments],
    ...correspondenceFacts(facts),
  ]
  const added = derived.flatMap(([name, value]) =>
    value === false ? [] : [[name, { value, source: 'derived', name, at: null }] as const],
  )
  // A contradicting indicator was removed before; one without a known meaning gives no sentence.
  const { eci, ...rest } = facts
  const kept = eci && byEci !== null && byEci !== 'none' && byEci === outcome ? facts : rest
  return { ...kept, ...Object.fromEntries(added) }
}

/** Terms that were accepted after the payment are no consent to it. */
function isNoticeInTime({ renewalNoticeDate, termsAcceptedDate, transactionCreatedDate }: Facts): boolean {
  const [notice, consent, payment] = [renewalNoticeDate, termsAcceptedDate, transactionCreatedDate].map(
    (fact) => fact?.value as WrittenDate | undefined,
  )
  if (!notice || !payment || (consent && isBefore(payment, consent))) return false
  return isDaysBefore(notice, payment, NOTICE_DAYS)
}

/** Whether the data point is a fact: earlier purchases prove nothing by an address that was removed. */
const isKnown = (facts: Facts, point: string) =>
  FACT_NAMES.some((fact) => facts[fact] !== undefined && FACTS[fact].names?.includes(point))

/** The address check is about the billing address. */
function isSameAddress({ shipTo, billingAddress }: Facts): boolean {
  const [one, other] = [shipTo, billingAddress].map((fact) =>
    String(fact?.value ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  )
  return one !== '' && one === other
}

/** Where an order came from, as the parts of one sentence. */
function originOf({ ip, location, device, deviceName, account }: Facts): readonly string[] | false {
  const named = (what: string, id: Fact | undefined, name: Fact | undefined) =>
    id ? [`${what} ${oneLine(id.value)}${name ? ` (${oneLine(name.value)})` : ''}`] : []
  const parts = [
    ...named('from the IP address', ip, location),
    ...named('with the device', device, deviceName),
    ...named('with the customer account', account, undefined),
  ]
  return parts.length > 0 && parts
}

const oneLine = (value: unknown) => excerpt(String(value))

/** For PSPs with fields for one earlier purchase. Identifiers that differ from the disputed purchase's prove nothing. */
function latestPurchase({ latest, matched }: EarlierPurchases): [FactName, FactValue | false][] {
  if (!latest) return []
  const text = (name: string) => {
    const value = latest.fields[name]
    return typeof value === 'string' && value.trim() !== '' ? cleanText(value).trim() : false
  }
  const equal = (name: string) => (matched.includes(name) ? text(name) : false)
  return [
    ['earlierPurchaseId', printable(latest.transactionId)],
    ['earlierPurchaseArn', text('transactionArn')],
    ['earlierPurchaseDate', readDate(latest.fields.transactionCreatedDate) ?? false],
    ['earlierPurchaseIp', equal('transactionOrderIpAddress')],
    ['earlierPurchaseEmail', equal('transactionOrderEmail')],
    ['earlierPurchaseAddress', matched.includes(ADDRESS) && cleanText(shippingAddressOf(latest.fields))],
  ]
}

/** What the order lines add up to, if that is the disputed amount: another sum would need an explanation. */
function totalOf({ orderItems, amount }: Facts): WrittenMoney | null {
  const [items, disputed] = [orderItems?.value as OrderItems | undefined, amount?.value as WrittenMoney | undefined]
  const total = items?.total
  return total && disputed && writeMoney(total) === writeMoney(disputed) ? total : null
}

/** Characters of a log in a sentence: what a quotation has, less the separators. */
const LOG = 590

/** The entries of a log that count, in one line. */
const entriesOf = (log: string | undefined, anchor: WrittenDate | null): string | false =>
  log === undefined ? false : (shortLog(log, anchor, LOG)?.replaceAll('\n', '; ') ?? false)

/** A message counts as the customer's if it comes from the name or address of the order. */
function correspondenceFacts(facts: Facts): [FactName, FactValue | false][] {
  const correspondence = facts.customerCommunication?.value as Correspondence | undefined
  if (!correspondence) return []
  const day = (facts.customerWithdrewDate?.value as WrittenDate | undefined)?.day
  const names = [facts.email, facts.customerName].flatMap((fact) => (fact ? [fact.value as string] : []))
  const withdrawal = day === undefined ? undefined : messageOf(correspondence, { day, names })
  const delivered = facts.deliveryDate?.value as WrittenDate | undefined
  const captioned = correspondence.messages.find(({ caption }) => caption !== null)
  return [
    ['withdrawalMessage', withdrawal?.body ?? false],
    ['withdrawalTranslation', withdrawal?.translation ?? false],
    // Before the delivery, a message shows nothing about it.
    [
      'contactAfterDelivery',
      delivered !== undefined && correspondence.messages.some(({ sent }) => isBefore(delivered, sent)),
    ],
    ['messageCaption', captioned?.caption ?? false],
    ['captionedMessageDate', captioned?.sent ?? false],
  ]
}
