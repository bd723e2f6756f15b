import type { Schemas } from '../api/operations.ts'
import { type DueGroup, dueGroup } from '../parts/due.ts'

export type Item = Schemas['ListedChargeback']

export interface Group {
  /** Null: the rows of a list that is not grouped. */
  name: DueGroup | null
  items: Item[]
  /** Whether rows may follow that are not loaded: then its numbers are of those loaded. */
  isOpenEnded: boolean
}

/**
 * Groups by days left, in the order of the list.
 * @param now of the server, ms
 * @param hasMore whether more rows follow, in the order of due dates
 */
export function grouped(items: readonly Item[], now: number, hasMore = false): Group[] {
  const groups = new Map<DueGroup, Item[]>()
  for (const item of items) {
    const name = dueGroup(item.dueDate, now)
    const known = groups.get(name)
    if (known) known.push(item)
    else groups.set(name, [item])
  }
  const all = [...groups].map(([name, of]) => ({ name, items: of, isOpenEnded: false }))
  const last = all.at(-1)
  if (last) last.isOpenEnded = hasMore
  return all
}
