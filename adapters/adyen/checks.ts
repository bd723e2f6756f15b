import { minorToDecimal } from '../../domain/money.ts'
import {
  addressResult,
  codeResult,
  eciOf,
  type PartMatches,
  type ProvenPoints,
  threeDsResult,
} from '../shared/check-results.ts'
import { amountExponentOf } from './vocabulary.ts'

/** Numbers of `avsResult` (Adyen docs, AVS checks) by street and postal code; others say that something was not checked. */
const AVS: Readonly<Record<string, [PartMatches, PartMatches]>> = {
  1: [true, false],
  2: [false, false],
  6: [false, true],
  7: [true, true],
  9: [true, null],
  12: [true, null],
  14: [null, true],
  15: [null, true],
  23: [null, true],
  24: [true, true],
  25: [true, null],
  26: [false, false],
}

/**
 * What an AUTHORISATION notification proves, from `additionalData`. Results read "7 Both postal code and address match";
 * only the number is documented to be stable.
 */
export function provenByAuthorisation(
  text: (key: string) => string | null,
  amount: { currency: string; value: number } | null,
): ProvenPoints {
  const number = (key: string) => /^\d+(?= |$)/.exec(text(key) ?? '')?.[0] ?? ''
  const [street, postalCode] = AVS[number('avsResult')] ?? [null, null]
  const cvc: Readonly<Record<string, boolean>> = { 1: true, 2: false }
  return {
    avsResult: addressResult(street, postalCode),
    cvvResult: codeResult(cvc[number('cvcResult')] ?? null),
    threeDsResult: threeDsResult(text('threeDAuthenticatedResponse')),
    eci: eciOf(text('eci')),
    authorizationCode: text('authCode'),
    authorizedAmount:
      amount && `${minorToDecimal(BigInt(amount.value), amountExponentOf(amount.currency))} ${amount.currency}`,
  }
}
