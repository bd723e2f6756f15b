import type { ChargebackFacts } from '../../domain/chargeback.ts'
import { minorToDecimal } from '../../domain/money.ts'
import { toChargeback } from './translate.ts'
import { isKnown, WORDS, type WordField } from './vocabulary.ts'

/**
 * Sandbox raw data: validation for operation 21 before storage, and conversion of a PSP's object to the Recoup format.
 */

/** Errors of an object in the Recoup format, as sentences; empty when it is valid. */
export function faultsOfRawData(object: Record<string, unknown>): string[] {
  const translation = toChargeback({ reference: null, text: JSON.stringify(object) })
  const wrongWords = (Object.keys(WORDS) as WordField[]).flatMap((field) => {
    const value = object[field]
    if (typeof value !== 'string' || isKnown(field, value)) return []
    return [`${field} must be one of ${WORDS[field].words.join(', ')}`]
  })
  return translation.kind === 'unmappable' ? [translation.reason, ...wrongWords] : wrongWords
}

/** Facts of another adapter's translation in the Recoup format, so that the sandbox can answer for that PSP. */
export function toRecoupShape(facts: ChargebackFacts): Record<string, unknown> {
  const { amountMinor, amountExponent, pspSequence: _, ...rest } = facts
  const known = Object.entries({ ...rest, amount: Number(minorToDecimal(amountMinor, amountExponent)) })
  return Object.fromEntries(known.filter(([, value]) => value !== null))
}

/** The inbox entry for a posted object; stored under its chargebackId. */
export function inboxEntry(posted: {
  dataSource: string
  requestTimeStamp: string
  rawData: Record<string, unknown>
}): string {
  const { dataSource, requestTimeStamp, rawData } = posted
  return JSON.stringify({ dataSource, requestTimeStamp, rawData })
}
