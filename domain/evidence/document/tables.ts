import type { FactName } from '../fact-catalogue.ts'
import type { Facts } from '../gather-facts.ts'
import type { PlayId } from '../playbooks/playbook.ts'
import type { Correspondence } from '../structures/correspondence.ts'
import type { OrderItems } from '../structures/order-items.ts'
import type { EvidenceTimeline } from '../structures/timeline.ts'
import { type WrittenDate, writeTime } from '../written-dates.ts'
import { type WrittenMoney, writeMoney } from '../written-money.ts'
import { isolated, type LineWidth, printedLine } from './printed-text.ts'

export interface DocumentTable {
  title: string
  head: string[]
  /** Shares of the page's width. */
  widths: number[]
  /** Columns that align right: numbers. */
  right: number[]
  rows: DocumentRow[]
  /** A line below the table; empty when there is none. */
  note: string
}

/** A table with the statements that it shows; empty if there are none. */
export type PrintedTable = DocumentTable & { shows: string }

export interface DocumentRow {
  cells: string[]
  /** Printed bold. */
  strong: boolean
}

/** Characters of a cell. */
const CELL = 300

export const cell = (text: string, width?: LineWidth): string => printedLine(isolated(text), CELL, width)

const row = (cells: readonly string[], strong = false, width?: LineWidth): DocumentRow => ({
  cells: cells.map((one) => cell(one, width)),
  strong,
})

/** What happened when. A return of the goods is left out: an issuer must not learn it as the merchant's evidence. */
const EVENTS: readonly [FactName, string][] = [
  ['transactionCreatedDate', 'Payment'],
  ['termsAcceptedDate', 'Terms accepted by the customer'],
  ['downloadDate', 'Download'],
  ['shippingDate', 'Shipment'],
  ['deliveryDate', 'Delivery'],
  ['serviceDate', 'Service provided'],
  ['renewalNoticeDate', 'Notice of the renewal sent'],
  ['duplicateChargeDate', 'The other payment'],
  ['cancellationDate', 'Cancellation by the customer'],
  ['lastUseDate', 'Last use by the customer'],
  ['refundDate', 'Refund'],
  ['customerWithdrewDate', 'Dispute withdrawn by the customer'],
  ['postingDate', 'Dispute'],
]
/** For another claim they mean nothing. */
const OF_PLAYS: Partial<Record<FactName, readonly PlayId[]>> = {
  duplicateChargeDate: ['duplicate'],
  cancellationDate: ['recurring', 'cancelled', 'consumer_general'],
}
/** Events of the client that are printed. */
const TOLD = 25
/** With fewer dates the sentences say it all. */
const FEWEST_EVENTS = 3

export function timelineTable(facts: Facts, play: PlayId): DocumentTable[] {
  // A table of payments has their dates, and such a claim is not about when the rest happened.
  if (!facts.timeline && [comparisonTable, duplicateTable].some((table) => table(facts, play).length > 0)) return []
  const events = EVENTS.flatMap(([fact, what]) => {
    const date = facts[fact]?.value as WrittenDate | undefined
    return date && (OF_PLAYS[fact]?.includes(play) ?? true) ? [{ date, what }] : []
  })
  const { events: all = [], others: unread = 0 } = (facts.timeline?.value ?? {}) as Partial<EvidenceTimeline>
  const [told, others] = [all.slice(0, TOLD), unread + Math.max(0, all.length - TOLD)]
  const dated = told.flatMap(({ when, what }) => (typeof when === 'string' ? [] : [{ date: when, what }]))
  const undated = told.flatMap(({ when, what }) => (typeof when === 'string' ? [row([when, what])] : []))
  if (events.length + told.length < FEWEST_EVENTS) return []
  const at = ({ date }: { date: WrittenDate }) => date.instant ?? Date.parse(`${date.day}T00:00:00Z`)
  const rows = [...events, ...dated].sort((a, b) => at(a) - at(b)).map(({ date, what }) => row([writeTime(date), what]))
  const note = others > 0 ? `and ${others} more event${others === 1 ? '' : 's'}.` : ''
  return [{ title: 'Timeline', head: ['Date', 'Event'], widths: [2, 3], right: [], rows: [...rows, ...undated], note }]
}

/** Messages that are printed; a body and its translation have 600 characters each. */
const MESSAGES = 5
const MESSAGE = 1_600
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' })

/** What customer and merchant wrote, newest first. */
export function correspondenceTable({ customerCommunication, messageCaption }: Facts): DocumentTable[] {
  if (!customerCommunication) return []
  const { messages, others } = customerCommunication.value as Correspondence
  const rows = messages.slice(0, MESSAGES).map(({ sent, from, subject, body, caption, language, translation }) => {
    const words = [
      subject && `${isolated(subject)}:`,
      isolated(`"${body}"`),
      translation && `Translation${language ? ` from ${LANGUAGES.of(language)}` : ''}: ${isolated(`"${translation}"`)}`,
      // A sentence says it already.
      caption && caption !== messageCaption?.value && `(${isolated(caption)})`,
    ]
    return {
      cells: [cell(writeTime(sent)), cell(from ?? '', 'narrow'), printedLine(words.filter(Boolean).join(' '), MESSAGE)],
      strong: false,
    }
  })
  const more = others + messages.length - rows.length
  const note = more > 0 ? `and ${more} more message${more === 1 ? '' : 's'}.` : ''
  return [{ title: 'Correspondence', head: ['Date', 'From', 'Message'], widths: [4, 5, 9], right: [], rows, note }]
}

/** The lines of the largest amounts; the note says what the others add up to. */
export function orderTable({ orderItems }: Facts): DocumentTable[] {
  if (!orderItems) return []
  const { lines, others, total } = orderItems.value as OrderItems
  const rows = lines.map(({ name, quantity, amount }) => row([name, quantity ?? '', amount ? writeMoney(amount) : '']))
  if (total && lines.length > 1) rows.push(row(['Total', '', writeMoney(total)], true))
  const [head, widths] = [
    ['Item', 'Quantity', 'Amount'],
    [7, 2, 3],
  ]
  return [{ title: 'Order', head, widths, right: [1, 2], rows, note: others ? noteOf(others) : '' }]
}

function noteOf({ lines, amount }: NonNullable<OrderItems['others']>): string {
  const more = `and ${lines} more line${lines === 1 ? '' : 's'}`
  return amount ? `${more}, ${writeMoney(amount)} together.` : `${more}.`
}

/** Facts that hold a shared identifier, by its name in the sentences. */
const IDENTIFIERS: readonly [string, FactName][] = [
  ['IP address', 'ip'],
  ['device', 'device'],
  ['delivery address', 'shipTo'],
  ['customer account', 'account'],
]

/**
 * The disputed payment next to two earlier ones on the same card: what is equal in all of them is bold. For a claim other
 * than fraud it proves nothing.
 */
export function comparisonTable(facts: Facts, play: PlayId): DocumentTable[] {
  if (play !== 'fraud_cnp') return []
  const dates = facts.earlierPurchaseDates?.value as readonly string[] | undefined
  const shared = facts.sharedIdentifiers?.value as readonly string[] | undefined
  const ids = facts.earlierPurchaseIds?.value as readonly string[] | undefined
  const [own, ownId] = [facts.transactionCreatedDate?.value as WrittenDate | undefined, facts.transactionId?.value]
  if (!dates || !shared) return []
  const equal = IDENTIFIERS.flatMap(([name, fact]) => {
    const value = facts[fact]?.value
    return typeof value === 'string' && shared.includes(name)
      ? [row([capital(name), value, ...dates.map(() => value)], true, 'narrow')]
      : []
  })
  if (equal.length === 0) return []
  return [
    {
      title: 'Earlier payments with the same card',
      head: ['', 'Disputed payment', ...dates.map((_, index) => `Earlier payment ${index + 1}`)],
      widths: [2, ...dates.map(() => 3), 3],
      right: [],
      rows: [
        ...(ids ? [row(['Transaction', String(ownId ?? ''), ...ids], false, 'narrow')] : []),
        row(['Date', own ? writeTime(own) : '', ...dates]),
        ...equal,
      ],
      note: 'Values in bold are the same for all payments.',
    },
  ]
}

const DUPLICATE: readonly [label: string, own: FactName, other: FactName][] = [
  ['Payment', 'transactionId', 'duplicateChargeId'],
  ['Date', 'transactionCreatedDate', 'duplicateChargeDate'],
  ['Amount', 'amount', 'duplicateChargeAmount'],
  ['Order', 'orderId', 'duplicateChargeOrderId'],
  ['Goods', 'goods', 'duplicateChargeGoods'],
  ['Tracking number', 'shippingTrackingNumber', 'duplicateChargeTrackingNumber'],
]

const written = (value: WrittenDate | WrittenMoney) => ('minor' in value ? writeMoney(value) : writeTime(value))

/** Two payments that the cardholder takes for one, side by side. For another claim the other payment means nothing. */
export function duplicateTable(facts: Facts, play: PlayId): DocumentTable[] {
  if (play !== 'duplicate') return []
  const rows = DUPLICATE.flatMap(([label, own, other]) => {
    const [left, right] = [facts[own]?.value, facts[other]?.value].map((value) =>
      typeof value === 'object' ? written(value as WrittenDate | WrittenMoney) : value,
    )
    return typeof left === 'string' && typeof right === 'string' ? [row([label, left, right])] : []
  })
  // The first row is the payments themselves; a table with one more row would repeat a sentence.
  if (facts.duplicateChargeId === undefined || rows.length < 3) return []
  const head = ['', 'Disputed payment', 'The other payment']
  return [{ title: 'The two payments', head, widths: [1, 3, 3], right: [], rows, note: '' }]
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
