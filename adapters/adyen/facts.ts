import { storable, timeOf, Unmappable } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'

/** Readers of an untrusted notification. They name the path in their errors. */

/** A storable string, trimmed, or null when absent. @throws Unmappable for any other type or content */
export function textAt(record: Record<string, unknown>, key: string, maxLength = 255): string | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  const text = storable(value, key, maxLength).trim()
  return text === '' ? null : text
}

/** @throws Unmappable also when it is absent */
export function requiredText(record: Record<string, unknown>, key: string): string {
  const value = textAt(record, key)
  if (value === null) throw new Unmappable(`${key} is missing`)
  return value
}

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/

/**
 * ISO 8601 with any offset, as ISO 8601 UTC; a time without an offset counts as UTC. @throws Unmappable for an invalid
 * time
 */
export function instantAt(record: Record<string, unknown>, key: string): string | null {
  const text = textAt(record, key)
  if (text === null) return null
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10)) ? text : `${text}Z`
  const time = INSTANT.test(text) ? timeOf(zoned.replace(' ', 'T').replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : Number.NaN
  if (Number.isNaN(time)) throw new Unmappable(`${key} is not a time`)
  return new Date(time).toISOString()
}

/** Null when the record is absent. @throws Unmappable when it is not an object */
export function recordAt(record: Record<string, unknown>, key: string): Record<string, unknown> | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  const found = asRecord(value)
  if (!found) throw new Unmappable(`${key} is not an object`)
  return found
}

export function parsed(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}
