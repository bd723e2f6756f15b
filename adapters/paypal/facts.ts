import { currencyExponent, decimalToMinor } from '../../domain/money.ts'
import { at, requiredText, textAt, timeOf, Unmappable } from '../shared/facts.ts'

/** RFC 3339, and zones without a colon as in Transaction Search. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/i

/** An RFC 3339 time as ISO 8601 UTC with milliseconds; null when absent. @throws Unmappable */
export function instantAt(root: unknown, path: string): string | null {
  const value = textAt(root, path)
  if (value === null) return null
  const time = INSTANT.test(value) ? timeOf(value) : Number.NaN
  if (Number.isNaN(time)) throw new Unmappable(`${path} is not a time`)
  return new Date(time).toISOString()
}

/** The same without errors: milliseconds, or null for an invalid time. */
export function timeAt(root: unknown, path: string): number | null {
  const value = at(root, path)
  const time = typeof value === 'string' && INSTANT.test(value) ? timeOf(value) : Number.NaN
  return Number.isNaN(time) ? null : time
}

export interface Money {
  currency: string
  amountMinor: bigint
  amountExponent: number
}

/** PayPal sends decimals in major units: "500" JPY, "12.345" TND. @throws Unmappable */
export function moneyAt(root: unknown, path: string): Money {
  const currency = requiredText(root, `${path}.currency_code`)
  const amountExponent = currencyExponent(currency)
  if (amountExponent === undefined) throw new Unmappable(`${path}.currency_code is unknown`)
  const value = requiredText(root, `${path}.value`)
  if (value.length > 32 || !/^\d+(\.\d+)?$/.test(value)) throw new Unmappable(`${path}.value is not a decimal`)
  try {
    return { currency, amountExponent, amountMinor: decimalToMinor(value, amountExponent) }
  } catch {
    throw new Unmappable(`${path}.value has a fraction of a minor unit`)
  }
}

/** Optional money: null unless it is valid and in `currency`. */
export function minorAt(root: unknown, path: string, currency: string): bigint | null {
  try {
    const money = moneyAt(root, path)
    return money.currency === currency ? money.amountMinor : null
  } catch {
    return null
  }
}
