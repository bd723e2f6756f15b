import { asRecord, isStorable } from '../raw-json.ts'

/** Reads of an untrusted object of Braintree's, each with the path it read, so that a refusal can name it. */

/** Why an object can't become a chargeback: a path and what is wrong there, never the value. */
export class Unmappable extends Error {}

/** The value at a dotted path, or undefined. */
export function at(root: unknown, path: string): unknown {
  let value = root
  for (const key of path.split('.')) value = asRecord(value)?.[key]
  return value
}

/** The objects of a list; nothing for anything else. */
export function listAt(root: unknown, path: string): Record<string, unknown>[] {
  const value = at(root, path)
  return Array.isArray(value) ? value.map(asRecord).filter((item) => item !== null) : []
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

/** A day (YYYY-MM-DD) or an instant as ISO 8601 UTC; a day counts from 00:00 UTC. @throws Unmappable for anything else */
export function instantAt(root: unknown, path: string): string | null {
  const text = textAt(root, path, 40)
  if (text === null) return null
  const instant = instantOf(text)
  if (instant === null) throw new Unmappable(`${path} is not a date`)
  return instant
}

/** Null for what is no date of this calendar. */
export function instantOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?UTC|[+-]\d\d:?\d\d)?)?$/.test(text)) return null
  const time = Date.parse(text.length === 10 ? text : zoned(text))
  if (Number.isNaN(time)) return null
  const instant = new Date(time).toISOString()
  // Date.parse takes 30 February for 2 March.
  return text.length === 10 && !instant.startsWith(text) ? null : instant
}

function zoned(text: string): string {
  const iso = text.replace(' UTC', 'Z').replace('UTC', 'Z').replace(' ', 'T')
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`
}
