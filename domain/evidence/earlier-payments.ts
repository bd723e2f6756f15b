import { type CompellingEvidenceInput, isSameCard, isSettled } from '../assessment/compelling-evidence.ts'
import { readDate, writeDay } from './written-dates.ts'

const DAY_MS = 86_400_000
/** Days before the disputed payment: what is older says little about a subscription. */
const MAX_DAYS = 365
/** Of more payments the newest ones are named: one for each month. */
const MOST = 12

/** The period for earlier payments; null while the date of the disputed one is not known. */
export const earlierPaymentsWindow = (disputedAt: Date | null): { from: Date; to: Date } | null =>
  disputedAt && { from: new Date(disputedAt.getTime() - MAX_DAYS * DAY_MS), to: new Date(disputedAt.getTime() - 1) }

/**
 * Days of earlier payments of the same customer, oldest first. Last four digits and BIN are shared by many cards, so without
 * a fingerprint the account or the e-mail address has to be the same, too. Pure.
 */
export function earlierPayments({
  disputed,
  earlier,
}: Pick<CompellingEvidenceInput, 'disputed' | 'earlier'>): string[] {
  const same = (fields: typeof disputed, name: string) => {
    const [own, other] = [disputed[name], fields[name]].map((value) =>
      typeof value === 'string' ? value.trim().toLowerCase() : '',
    )
    return own !== '' && own === other
  }
  const isSameCustomer = (fields: typeof disputed) =>
    ['transactionCardFingerprint', 'transactionOrderSteamId', 'transactionOrderEmail'].some((name) =>
      same(fields, name),
    )
  return earlier
    .filter(({ fields }) => isSameCard(disputed, fields) && isSettled(fields) && isSameCustomer(fields))
    .flatMap(({ fields }) => readDate(fields.transactionCreatedDate) ?? [])
    .sort((one, other) => (one.day < other.day ? -1 : 1))
    .slice(-MOST)
    .map(writeDay)
}
