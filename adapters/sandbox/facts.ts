import { timeOf, Unmappable } from '../shared/facts.ts'
import { isStorable } from '../shared/raw-json.ts'

/** Readers of an untrusted object in the Recoup format; errors name the field, never its value. */

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Null and an absent field are the same: unknown. @throws Unmappable for any other type or content */
export function textAt(shape: Record<string, unknown>, field: string, maxLength = 255): string | null {
  const value = shape[field]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new Unmappable(`${field} must be a string`)
  if (value === '') throw new Unmappable(`${field} must not be empty: leave it out when it is not known`)
  if (!isStorable(value)) throw new Unmappable(`${field} holds characters that can't be stored`)
  if (value.length > maxLength) throw new Unmappable(`${field} must have at most ${maxLength} characters`)
  return value
}

/** @throws Unmappable also when it is absent */
export function requiredText(shape: Record<string, unknown>, field: string): string {
  const value = textAt(shape, field)
  if (value === null) throw new Unmappable(`${field} is required`)
  return value
}

/** @throws Unmappable when the pattern does not match; `means` describes the required format */
export function patternAt(
  shape: Record<string, unknown>,
  field: string,
  pattern: RegExp,
  means: string,
): string | null {
  const value = textAt(shape, field)
  if (value !== null && !pattern.test(value)) throw new Unmappable(`${field} must be ${means}`)
  return value
}

/** ISO 8601 in UTC. @throws Unmappable unless it is a date-time with its offset */
export function instantAt(shape: Record<string, unknown>, field: string): string | null {
  const value = textAt(shape, field)
  if (value === null) return null
  const time = TIMESTAMP.test(value) ? timeOf(value) : Number.NaN
  if (Number.isNaN(time)) throw new Unmappable(`${field} must be an ISO 8601 date-time such as 2026-01-31T12:00:00Z`)
  return new Date(time).toISOString()
}
