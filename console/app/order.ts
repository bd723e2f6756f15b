/** Chargebacks that a person goes through one after the other: those of the list that was shown last, or selected. */
interface Order {
  ids: readonly string[]
  /** Whether the list goes on after them. */
  hasMore?: boolean
  /** Address of the list, without the merchant. */
  back: string
}

let current: Order = { ids: [], back: '' }

export function rememberOrder(order: Order): void {
  current = order
}

/** Where a chargeback is in that order; null when it was not opened from a list. */
export function placeOf(id: string): { index: number; of: string; before?: string; after?: string } | null {
  const { ids, hasMore } = current
  const index = ids.indexOf(id)
  if (index < 0) return null
  const [before, after] = [ids[index - 1], ids[index + 1]]
  const of = hasMore ? `more than ${ids.length}` : String(ids.length)
  return { index, of, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

let opened: string | null = null

/** The chargeback that was shown since the list was. */
export function rememberOpened(id: string): void {
  opened = id
}
export function takeOpened(): string | null {
  const id = opened
  opened = null
  return id
}

export const listAddress = (): string => current.back
