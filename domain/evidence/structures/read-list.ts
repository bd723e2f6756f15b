import { cleanText, excerpt } from '../clean-text.ts'

/** A list that a client sent, without the entries that can't be read. */
export interface ReadList<Entry> {
  entries: Entry[]
  /** For the merchant: which entries and parts were left out, by name and index, never by value. */
  faults: string[]
}

/** Reads one entry; `fault` reports a part of it. Null leaves the entry out. */
export type ReadEntry<Entry> = (
  given: Readonly<Record<string, unknown>>,
  fault: (part: string, why: string) => void,
) => Entry | null

/** Faults that are named one by one. */
const MOST_FAULTS = 5

/** A single object counts as a list of one. An empty list has neither entries nor faults. */
export function readList<Entry>(name: string, value: unknown, read: ReadEntry<Entry>): ReadList<Entry> {
  if (typeof value !== 'object' || value === null) return { entries: [], faults: [`${name} is no list of objects.`] }
  const given: readonly unknown[] = Array.isArray(value) ? value : [value]
  const faults: string[] = []
  const entries = given.flatMap((one, index) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) {
      faults.push(`${name}[${index}] is no object.`)
      return []
    }
    const entry = read(one as Record<string, unknown>, (part, why) => faults.push(`${name}[${index}].${part} ${why}`))
    return entry === null ? [] : [entry]
  })
  const more = faults.length - MOST_FAULTS
  return {
    entries,
    faults: more > 1 ? [...faults.slice(0, MOST_FAULTS), `${name} has ${more} more faults.`] : faults,
  }
}

/** One printable line, card numbers cut; null without text. */
export function lineOf(value: unknown, most?: number): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return excerpt(cleanText(text), most) || null
}
