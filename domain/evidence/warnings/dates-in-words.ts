import type { FactName } from '../fact-catalogue.ts'
import type { Facts, Warning } from '../gather-facts.ts'
import { isAfterInstant, isBefore, MONTHS, readDate, type WrittenDate } from '../written-dates.ts'

/** Facts that are the merchant's own sentences. */
const WORDS: readonly FactName[] = [
  ...(['refundRefusalExplanation', 'cancellationRebuttal', 'descriptionRebuttal'] as const),
  ...(['duplicateChargeExplanation', 'onlyPaymentStatement'] as const),
]
/** What a sentence answers happened before the dispute. */
const BEFORE_THE_DISPUTE: readonly FactName[] = ['refundRefusalExplanation', 'cancellationRebuttal']

const MONTH = `(${MONTHS.map((month) => `${month.slice(0, 3)}(?:${month.slice(3)})?\\.?`).join('|')})`
const ISO = /(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g
const DAY_FIRST = new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH},? (\\d{4})(?!\\d)`, 'gi')
const MONTH_FIRST = new RegExp(`${MONTH} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})(?!\\d)`, 'gi')

/**
 * Days in the merchant's own sentences that can't be right: an issuer who finds one believes nothing else. The merchant is
 * warned, and the sentence stays, because a sentence may speak of a day to come, such as the end of a term.
 */
export function datesInWords(facts: Facts, now: Date): Warning[] {
  const dispute = facts.postingDate?.value as WrittenDate | undefined
  return WORDS.flatMap((fact): Warning[] => {
    const found = facts[fact]
    const days = typeof found?.value === 'string' ? daysIn(found.value) : []
    const isLate = (day: WrittenDate) =>
      BEFORE_THE_DISPUTE.includes(fact) && dispute !== undefined && isBefore({ ...dispute, instant: null }, day)
    const told = [
      days.some((day) => isAfterInstant(day, now)) && 'names a day that has not come yet: check it.',
      days.some(isLate) && 'names a day after the dispute: check it.',
    ].find((one) => one !== false)
    return found && told ? [{ code: 'adverse', facts: [fact], message: `${found.name} ${told}` }] : []
  })
}

function daysIn(text: string): WrittenDate[] {
  const iso = [...text.matchAll(ISO)].map(([day]) => day)
  const first = [...text.matchAll(DAY_FIRST)].map(([, day, month, year]) => written(year, month, day))
  const second = [...text.matchAll(MONTH_FIRST)].map(([, month, day, year]) => written(year, month, day))
  return [...iso, ...first, ...second].flatMap((day) => readDate(day) ?? [])
}

function written(year = '', month = '', day = ''): string {
  const number = MONTHS.findIndex((one) => one.slice(0, 3).toLowerCase() === month.slice(0, 3).toLowerCase()) + 1
  return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`
}
