import type { Schemas } from '../api/operations.ts'

/** Chargebacks that a person goes through one after the other: those of the list that was shown last, or selected. */
interface Order {
  ids: readonly string[]
  /** Whether the list goes on after them. */
  hasMore?: boolean
  /** Whether the person selected them, to act on one after the other. */
  isReview?: boolean
  /** Address of the list, without the merchant. */
  back: string
}

let current: Order = { ids: [], back: '' }
/** Chargebacks of all reviews: an act on one may fail when its list is shown again. */
const reviewed = new Set<string>()

export function rememberOrder(order: Order): void {
  current = order
  if (order.isReview) for (const id of order.ids) reviewed.add(id)
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

/** A chargeback for which an act failed, and why. */
export interface Undone {
  item: Pick<Schemas['Chargeback'], 'id' | 'psp' | 'amount' | 'currency'>
  why: string
}

const failed = new Map<string | undefined, readonly Undone[]>()
const listeners = new Set<() => void>()

/** Those of the last act on several, and of reviews: the list shows them until they are dismissed or done. */
export const undoneOf = (merchant: string | undefined): readonly Undone[] => failed.get(merchant) ?? []

export function rememberUndone(merchant: string | undefined, undone: readonly Undone[]): void {
  failed.set(merchant, undone)
  for (const listener of listeners) listener()
}

/** @returns a function that ends the subscription */
export function onUndone(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const isReviewed = (id: string): boolean => reviewed.has(id)

/**
 * The outcome of an act on one chargeback of a review: the person may have gone on, and is told in the list.
 * @param why it failed; absent when it is done, or tried again
 */
export function rememberOutcome(merchant: string | undefined, item: Undone['item'], why?: string): void {
  if (!isReviewed(item.id)) return
  const others = undoneOf(merchant).filter((one) => one.item.id !== item.id)
  rememberUndone(merchant, why === undefined ? others : [...others, { item, why }])
}
