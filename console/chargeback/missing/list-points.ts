/** A part of an entry, by its name in the interface (docs/evidence.md). */
export interface Part {
  name: string
  label: string
  must?: true
  /** Several lines. */
  long?: true
  /** What it looks like. */
  hint?: string
}

export interface ListPoint {
  /** One entry: `message`. */
  entry: string
  parts: readonly Part[]
}

/** Data points that are lists of entries. */
export const LISTS: Readonly<Record<string, ListPoint>> = {
  orderItems: {
    entry: 'item',
    parts: [
      { name: 'name', label: 'Name', must: true },
      { name: 'quantity', label: 'Quantity', hint: '2' },
      { name: 'amount', label: 'Amount of the line', hint: '59.90 USD' },
      { name: 'sku', label: 'Article number' },
    ],
  },
  customerCommunication: {
    entry: 'message',
    parts: [
      { name: 'sent', label: 'Sent on', must: true, hint: '2026-03-07' },
      { name: 'from', label: 'From' },
      { name: 'to', label: 'To' },
      { name: 'subject', label: 'Subject' },
      { name: 'body', label: 'Text', must: true, long: true },
      { name: 'caption', label: 'Your comment' },
    ],
  },
  timeline: {
    entry: 'event',
    parts: [
      { name: 'when', label: 'When', must: true, hint: '2026-03-06 11:42' },
      { name: 'what', label: 'What happened', must: true },
    ],
  },
}

export type Entry = Readonly<Record<string, string>>

/** What is typed, without what is blank. */
const filled = (entry: Entry) =>
  Object.fromEntries(Object.entries(entry).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]])))

/** The value that is sent: blank entries are left out. */
export const filledIn = (entries: readonly Entry[]): Record<string, string>[] =>
  entries.map(filled).filter((entry) => Object.keys(entry).length > 0)

/** The first part that has to be filled, by entry and name; undefined when the list can be sent. */
export function faultOf({ parts }: ListPoint, entries: readonly Entry[]): { at: number; part: Part } | undefined {
  const [first] = parts
  if (first && filledIn(entries).length === 0) return { at: 0, part: first }
  for (const [at, entry] of entries.map(filled).entries()) {
    if (Object.keys(entry).length === 0) continue
    const part = parts.find(({ name, must }) => must && entry[name] === undefined)
    if (part) return { at, part }
  }
  return undefined
}
