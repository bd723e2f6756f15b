import type { Inbox, RawObject, StoredNotification } from '../contract.ts'
import { PspError } from '../errors.ts'
import { type Mark, printDispute } from './dispute-text.ts'
import { isLive, itemsOf, type RawItem } from './events/items.ts'
import { isPaymentEvent } from './events/reduce.ts'
import { parsed } from './facts.ts'
import { isDisputeEvent, mayNamePayment } from './vocabulary.ts'

/** Disputes of one merchant account, read from the inbox, because Adyen has no call that reads them. */
export interface Mailbox {
  inbox: Inbox
  merchantAccount: string
  live: boolean
}

/** @throws PspError config_invalid when the engine provides no inbox */
export function openMailbox(inbox: Inbox | undefined, merchantAccount: string, live: boolean): Mailbox {
  if (!inbox) throw new PspError('config_invalid', 'Adyen can only be connected where its notifications are stored.')
  return { inbox, merchantAccount, live }
}

/** The relevant items of a stored notification: those of the integration's environment and merchant account. */
export function itemsIn(mailbox: Mailbox, stored: StoredNotification): RawItem[] {
  if (isLive(stored.body) !== mailbox.live) return []
  return itemsOf(stored.body).filter((item) => !isForeign(mailbox, item))
}

/** Whether it names a merchant account other than the integration's. */
export function isForeign({ merchantAccount }: Pick<Mailbox, 'merchantAccount'>, { value }: RawItem): boolean {
  const code = (value as { merchantAccountCode?: unknown } | null)?.merchantAccountCode
  return typeof code === 'string' && code !== merchantAccount
}

/** Whether the item is about a dispute, as far as the item alone shows. */
export function concernsDispute(item: RawItem): boolean {
  const { eventCode } = item
  if (eventCode === null) return true
  return isDisputeEvent(eventCode) || (!isPaymentEvent(eventCode) && looksLikeDispute(item))
}

const DISPUTE_KEYS = [
  'disputeStatus',
  'defensePeriodEndsAt',
  'defendable',
  'chargebackReasonCode',
  'rfiReasonCode',
  'nofReasonCode',
]

/** An event code that is new at Adyen, recognised by its additionalData. */
function looksLikeDispute({ value }: RawItem): boolean {
  const data = (value as { additionalData?: Record<string, unknown> } | null)?.additionalData
  return typeof data === 'object' && data !== null && DISPUTE_KEYS.some((key) => key in data)
}

/** Whether the event may carry the payment's reference in place of the dispute's. */
export function isUnmatched(item: RawItem): boolean {
  return item.eventCode !== null && item.originalReference === null && mayNamePayment(item.eventCode)
}

/** The dispute with all its notifications, or null when there are none. `last` is the position of the newest one. */
export async function gather(
  mailbox: Mailbox,
  reference: string,
): Promise<{ raw: RawObject; last: string | null } | null> {
  const rows = await mailbox.inbox.about(reference)
  const own = rows.flatMap((row) => itemsIn(mailbox, row)).filter((item) => item.pspReference === reference)
  const disputeItems = own.filter(concernsDispute)
  const payment = disputeItems.find((item) => item.originalReference !== null)?.originalReference ?? null
  // Events that may concern only a payment make no dispute by themselves: another event must report it.
  if (disputeItems.every(isUnmatched)) return null
  const strays = payment === null ? [] : await straysOf(mailbox, payment, reference)
  const text = printDispute({
    merchantAccount: mailbox.merchantAccount,
    disputePspReference: reference,
    items: [...disputeItems, ...strays].map((item) => item.text),
    sent: rows.filter((row) => markedReference(row) === reference).map((row) => row.body),
  })
  const concerns = (row: StoredNotification) =>
    markedReference(row) === reference ||
    itemsIn(mailbox, row).some((item) => item.pspReference === reference && concernsDispute(item))
  const last = rows.findLast(concerns)
  return { raw: { reference, text }, last: last?.position ?? null }
}

/** Events under the payment's reference that belong to this dispute. */
async function straysOf(mailbox: Mailbox, payment: string, reference: string): Promise<RawItem[]> {
  if (payment === reference) return []
  const items = (await mailbox.inbox.about(payment)).flatMap((row) => itemsIn(mailbox, row))
  const strays = items.filter((item) => item.pspReference === payment && isUnmatched(item))
  return strays.filter((unmatched) => disputeOf(items, payment, unmatched) === reference)
}

/** The dispute that an unmatched event under a payment's reference belongs to; null while the payment has none. */
export async function ownerOf(mailbox: Mailbox, unmatched: RawItem): Promise<string | null> {
  const payment = unmatched.pspReference
  if (payment === null) return null
  const items = (await mailbox.inbox.about(payment)).flatMap((row) => itemsIn(mailbox, row))
  return disputeOf(items, payment, unmatched)
}

/** Of several disputes of one payment: the newest that was open at the time of the event; the first when none was. */
function disputeOf(items: readonly RawItem[], payment: string, unmatched: RawItem): string | null {
  const opened = new Map<string, number>()
  const own = items.filter((item) => item.originalReference === payment && concernsDispute(item))
  for (const item of own) {
    if (item.pspReference === null || isNotice(own.filter((other) => other.pspReference === item.pspReference)))
      continue
    opened.set(item.pspReference, Math.min(opened.get(item.pspReference) ?? Number.POSITIVE_INFINITY, timeOf(item)))
  }
  const byTime = [...opened].sort(([a, atA], [b, atB]) => atA - atB || (a < b ? -1 : 1))
  const before = byTime.filter(([, at]) => at <= timeOf(unmatched))
  return (before.at(-1) ?? byTime[0])?.[0] ?? null
}

/** A fraud notice or a request for information without a chargeback: unmatched events are never about one. */
function isNotice(items: readonly RawItem[]): boolean {
  const has = (...codes: string[]) => items.some(({ eventCode }) => eventCode !== null && codes.includes(eventCode))
  return (
    has('NOTIFICATION_OF_FRAUD', 'REQUEST_FOR_INFORMATION') &&
    !has('NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK', 'DISPUTE_OPENED_WITH_CHARGEBACK')
  )
}

function timeOf({ value }: RawItem): number {
  const time = Date.parse(String((value as { eventDate?: unknown } | null)?.eventDate))
  return Number.isNaN(time) ? 0 : time
}

/** The dispute that a mark by Recoup is about; null for a notification. */
export function markedReference({ body }: StoredNotification): string | null {
  const { recoup, disputePspReference } = parsed(body) ?? {}
  return typeof recoup === 'string' && typeof disputePspReference === 'string' ? disputePspReference : null
}

/** Stores a write that Adyen accepted, if the engine can: Adyen shows nothing of it until a notification arrives. */
export async function storeMark(
  { inbox }: Mailbox,
  mark: Omit<Mark, 'disputePspReference' | 'at'> & { reference: string; at: Date },
): Promise<void> {
  const { recoup, reference: disputePspReference, digest, at, types } = mark
  const text = JSON.stringify({ recoup, disputePspReference, digest, at: at.toISOString(), ...(types && { types }) })
  await inbox.note?.(disputePspReference, text)
}
