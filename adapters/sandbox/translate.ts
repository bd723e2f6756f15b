import { ALERT_PROVIDERS, type ChargebackFacts, SANDBOX_SOURCE } from '../../domain/chargeback.ts'
import { currencyExponent, decimalToMinor } from '../../domain/money.ts'
import type { RawObject, Translation } from '../contract.ts'
import { objectOf, translated, Unmappable } from '../shared/facts.ts'
import { instantAt, patternAt, requiredText, textAt } from './facts.ts'
import { marksOf } from './rules.ts'
import { DERIVED, FIELDS, isKnown, WORDS, type WordField } from './vocabulary.ts'

/** Increment when any result of `toChargeback` changes; stored objects are then translated again. */
export const TRANSLATION_VERSION = 5

/**
 * Translates a chargeback in the Recoup format: the fields of the interface's Chargeback that the service does not
 * derive. Strict in fields, types and formats, with errors that name the field. An unknown enum value becomes `unknown`
 * or `other` with an anomaly, as for any PSP.
 */
export function toChargeback(raw: RawObject): Translation {
  return translated(raw, (text) => {
    const anomalies: string[] = []
    return { kind: 'chargeback', facts: translate(objectOf(text), anomalies), anomalies }
  })
}

function translate(shape: Record<string, unknown>, anomalies: string[]): ChargebackFacts {
  refuseOtherFields(shape)
  const word = <F extends WordField>(field: F): ChargebackFacts[F] | null => {
    const value = textAt(shape, field)
    if (value === null || isKnown(field, value)) return value as ChargebackFacts[F] | null
    anomalies.push(`unknown ${field}`)
    return WORDS[field].rest as ChargebackFacts[F]
  }
  const required = <F extends WordField>(field: F): NonNullable<ChargebackFacts[F]> => {
    const value = word(field)
    if (value === null) throw new Unmappable(`${field} is required`)
    return value
  }
  const updatedAt = Date.parse(marksOf(shape).updatedAt ?? '')
  return {
    chargebackId: requiredText(shape, 'chargebackId'),
    psp: word('psp') ?? SANDBOX_SOURCE,
    ...amountOf(shape),
    postingDate: instantAt(shape, 'postingDate'),
    transactionCreatedDate: instantAt(shape, 'transactionCreatedDate'),
    dueDate: instantAt(shape, 'dueDate'),
    pspStatus: required('pspStatus'),
    pspStatusChangeDate: instantAt(shape, 'pspStatusChangeDate'),
    lifecycleStage: required('lifecycleStage'),
    transactionId: textAt(shape, 'transactionId'),
    arn: textAt(shape, 'arn'),
    externalTransactionIdentifier: textAt(shape, 'externalTransactionIdentifier', 500),
    merchantReferenceName: textAt(shape, 'merchantReferenceName'),
    reasonCode: textAt(shape, 'reasonCode'),
    // As long as the longest of any PSP, because objects of all PSPs are posted to a sandbox.
    reason: textAt(shape, 'reason', 2000),
    cardScheme: word('cardScheme'),
    paymentMethod: word('paymentMethod'),
    bin: patternAt(shape, 'bin', /^(\d{6}|\d{8})$/, '6 or 8 digits'),
    cardLastFourDigits: patternAt(shape, 'cardLastFourDigits', /^\d{4}$/, 'four digits'),
    billingCountry: patternAt(shape, 'billingCountry', /^[A-Z]{2}$/, 'an ISO 3166 code of two capital letters'),
    pspSequence: Number.isNaN(updatedAt) ? null : BigInt(updatedAt),
    ...providerOf(shape, anomalies),
  }
}

function refuseOtherFields(shape: Record<string, unknown>): void {
  for (const field of Object.keys(shape)) {
    if ((FIELDS as readonly string[]).includes(field)) continue
    if (DERIVED.includes(field)) throw new Unmappable(`${field} is derived by the service: leave it out`)
    // A key may be anything, even an e-mail address: only keys that look like a field name are repeated.
    const name = /^[A-Za-z][A-Za-z_]{0,59}$/.test(field) ? field : 'a key'
    throw new Unmappable(`${name} is no field of a chargeback: leave it out`)
  }
}

/** The provider of an alert. An unknown provider is an anomaly, and the alert has none. */
function providerOf(shape: Record<string, unknown>, anomalies: string[]): Pick<ChargebackFacts, 'providerName'> {
  const value = textAt(shape, 'providerName')
  const known = ALERT_PROVIDERS.find((provider) => provider === value)
  if (value !== null && known === undefined) anomalies.push('unknown providerName')
  return known === undefined ? {} : { providerName: known }
}

/** The amount with the currency's ISO 4217 digits, as a JSON number. */
function amountOf(
  shape: Record<string, unknown>,
): Pick<ChargebackFacts, 'currency' | 'amountMinor' | 'amountExponent'> {
  const currency = requiredText(shape, 'currency')
  const amountExponent = currencyExponent(currency)
  if (amountExponent === undefined) throw new Unmappable('currency must be an ISO 4217 code in capital letters')
  const { amount } = shape
  if (amount === undefined || amount === null) throw new Unmappable('amount is required')
  if (typeof amount !== 'number' || amount < 0) throw new Unmappable('amount must be a number that is not negative')
  if (amount * 10 ** amountExponent > Number.MAX_SAFE_INTEGER) throw new Unmappable('amount is larger than any amount')
  try {
    return { currency, amountMinor: decimalToMinor(String(amount), amountExponent), amountExponent }
  } catch {
    throw new Unmappable(`amount must have at most ${amountExponent} digits after the point in its currency`)
  }
}
