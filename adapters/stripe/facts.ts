import { asRecord, isStorable } from '../raw-json.ts'

/** Reads of an untrusted object of Stripe's, each with the path it read, so that a refusal can name it. */

/** Why an object can't become a chargeback: a path and what is wrong there, never the value. */
export class Unmappable extends Error {}

const MAX_SECONDS = 253_402_300_799 // 9999-12-31, the last day of a four-digit year

/** Paths are few and read for every dispute: each is taken apart once. */
const KEYS = new Map<string, readonly string[]>()

/** The value at a dotted path, or undefined. `path` is one of ours, never data. */
export function at(root: unknown, path: string): unknown {
  const keys = KEYS.get(path) ?? path.split('.')
  KEYS.set(path, keys)
  let value = root
  for (const key of keys) value = asRecord(value)?.[key]
  return value
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
export function firstText(root: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    const value = textAt(root, path)
    if (value !== null) return value
  }
  return null
}

/** Unix seconds as ISO 8601; null where there is none, and for 0, by which Stripe says "none" in due_by. */
export function instantAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  if (value === undefined || value === null || value === 0) return null
  if (!Number.isSafeInteger(value)) throw new Unmappable(`${path} is not a whole number of seconds`)
  if ((value as number) < 0 || (value as number) > MAX_SECONDS) throw new Unmappable(`${path} is out of range`)
  return new Date((value as number) * 1000).toISOString()
}

/** The id of something that Stripe sends as an id or, expanded, as an object. */
export function idAt(root: unknown, path: string): string | null {
  return asRecord(at(root, path)) ? textAt(root, `${path}.id`) : textAt(root, path)
}
