import type { Schemas } from '../api/operations.ts'
import { DUE_GROUPS, type DueGroup, dueGroup } from '../parts/due.ts'

export type Item = Schemas['Chargeback']

export interface Group {
  name: DueGroup
  items: Item[]
}

/** By days left, soonest first; without a due date last. @param now of the server, ms */
export function grouped(items: readonly Item[], now: number): Group[] {
  const groups = new Map<DueGroup, Item[]>(DUE_GROUPS.map((name) => [name, []]))
  const sorted = items.toSorted((a, b) => dueOf(a) - dueOf(b) || (a.id < b.id ? -1 : 1))
  for (const item of sorted) groups.get(dueGroup(item.dueDate, now))?.push(item)
  return [...groups].map(([name, all]) => ({ name, items: all })).filter((group) => group.items.length > 0)
}

const dueOf = ({ dueDate }: Item) => (dueDate === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(dueDate))
