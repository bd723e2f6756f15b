import { textAt, timeOf, Unmappable } from '../shared/facts.ts'

/** A day (YYYY-MM-DD) or a time as ISO 8601 UTC; a day starts at 00:00 UTC. @throws Unmappable for anything else */
export function instantAt(root: unknown, path: string): string | null {
  const text = textAt(root, path, 40)
  if (text === null) return null
  const instant = instantOf(text)
  if (instant === null) throw new Unmappable(`${path} is not a date`)
  return instant
}

/** Null for an invalid date. */
export function instantOf(text: string): string | null {
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?UTC|[+-]\d\d:?\d\d)?)?$/.test(text)) return null
  const time = timeOf(text.length === 10 ? text : zoned(text))
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

function zoned(text: string): string {
  const iso = text.replace(' UTC', 'Z').replace('UTC', 'Z').replace(' ', 'T')
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`
}
