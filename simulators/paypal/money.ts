import { currencyExponent, minorToDecimal } from '../../domain/money.ts'
import type { JsonObject } from '../engine/contract.ts'

/** PayPal prints decimals with all digits of the currency: "10.50", "500", "12.000". */
export function money(minor: number, currency: string): JsonObject {
  const exponent = currencyExponent(currency) ?? 2
  const [whole = '0', fraction = ''] = minorToDecimal(BigInt(minor), exponent).split('.')
  const value = exponent === 0 ? whole : `${whole}.${fraction.padEnd(exponent, '0')}`
  return { currency_code: currency, value }
}

export function movement(
  type: 'DEBIT' | 'CREDIT',
  reason: 'DISPUTE_SETTLEMENT' | 'CHARGEBACK_FEE',
  amount: JsonObject,
  initiatedAt: string,
): JsonObject {
  return { affected_party: 'SELLER', type, reason, amount, initiated_time: initiatedAt }
}
