import { at, textAt, Unmappable } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'

const MAX_SECONDS = 253_402_300_799 // 9999-12-31, the last day of a four-digit year

/** Unix seconds as ISO 8601; null when absent, and for 0, Stripe's value for no due_by. */
export function instantAt(root: unknown, path: string): string | null {
  const value = at(root, path)
  if (value === undefined || value === null || value === 0) return null
  if (!Number.isSafeInteger(value)) throw new Unmappable(`${path} is not a whole number of seconds`)
  if ((value as number) < 0 || (value as number) > MAX_SECONDS) throw new Unmappable(`${path} is out of range`)
  return new Date((value as number) * 1000).toISOString()
}

/** The id of a member that Stripe sends as an id or, expanded, as an object. */
export function idAt(root: unknown, path: string): string | null {
  return asRecord(at(root, path)) ? textAt(root, `${path}.id`) : textAt(root, path)
}
