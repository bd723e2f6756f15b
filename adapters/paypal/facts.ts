import { currencyExponent, decimalToMinor } from '../../domain/money.ts'
import { asRecord, isStorable } from '../raw-json.ts'

/** Reads of an untrusted object of PayPal's, each with the path it read, so that a refusal can name it. */

/** Why an object can't become a chargeback: a path and what is wrong there, never the value. */
export class Unmappable extends Error {}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i

/** The value at a dotted path, or undefined. A number in the path is an index. */
export function at(root: unknown, path: string): unknown {
  let value = root
  for (const key of path.split('.')) {
    value = Array.isArray(value) ? value[Number(key)] : asRecord(value)?.[key]
  }
  return value
}

/** The objects in the array at a path; whatever else is in it is left out. */
export function listAt(root: unknown, path: string): Record<string, unknown>[] {
  const value = at(root, path)
  return Array.isArray(value) ? value.map(asRecord).filter((entry) => entry !== null) : []
}

/** A string that can be stored, or null where there is none. @throws Unmappable for any other type or content */
export function textAt(root: unknown, path: string, maxLength = 255): string | null {
  const value = at(root, path)
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') throw new Unmappable(`${path} is not a string`)
  if (!isStorable(value)) throw new Unmappable(`${path} holds characters that can't be stored`)
  if (value.length > maxLength) throw new Unmappable(`${path} is longer than ${maxLength} characters`)
  return value
}

/** @throws Unmappable when it is absent too */
export function requiredText(root: unknown, path: string): string {
  const value = textAt(root, path)
  if (value === null) throw new Unmappable(`${path} is missing`)
  return value
}

/** The first path that has a string. */
export function firstText(root: unknown, paths: readonly string[], maxLength = 255): string | null {
  for (const path of paths) {
    const value = textAt(root, path, maxLength)
    if (value !== null) return value
  }
  return null
}

/** An RFC 3339 time as ISO 8601 UTC with milliseconds; null where there is none. @throws Unmappable */
export function instantAt(root: unknown, path: string): string | null {
  const value = textAt(root, path)
  if (value === null) return null
  const time = INSTANT.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time)) throw new Unmappable(`${path} is not a time`)
  return new Date(time).toISOString()
}

/** The same without refusals: milliseconds, or null for anything that is no time. */
export function timeAt(root: unknown, path: string): number | null {
  const value = at(root, path)
  const time = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN
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

/** Money that may be absent or odd: null unless it is sound and in `currency`. */
export function minorAt(root: unknown, path: string, currency: string): bigint | null {
  try {
    const money = moneyAt(root, path)
    return money.currency === currency ? money.amountMinor : null
  } catch {
    return null
  }
}
