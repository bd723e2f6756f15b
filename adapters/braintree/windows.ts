import type { Window } from './cursor.ts'
import { addDays, daysBetween, wireDay } from './days.ts'
import { UNDECIDED } from './vocabulary.ts'

/** Days per chunk when a window is too wide for one query. */
const CHUNK_DAYS = 31
/** Up to this many disputes a window is read in one piece, and its ids are compared with `totalItems`. */
export const COMFORTABLE = 1000

/** Search criteria of a window, combined with AND. */
export function criteriaOf(window: Window, merchantAccountCodes: readonly string[]): Record<string, unknown> {
  const { by, from, to, before } = window
  const range = {
    ...(from !== null && { min: wireDay(from) }),
    ...(to !== null && { max: wireDay(to) }),
  }
  const older = before === null ? {} : { received_date: { max: wireDay(addDays(before, -1)) } }
  return {
    ...(by === 'received' && { received_date: range }),
    ...(by === 'effective' && { effective_date: range, ...older }),
    ...(by === 'undecided' && { status: UNDECIDED, ...older }),
    ...(merchantAccountCodes.length > 0 && { merchant_account_id: merchantAccountCodes }),
  }
}

/** Longer than a chunk. */
export function isWide({ from, to }: Window): boolean {
  return from !== null && to !== null && daysBetween(from, to) >= CHUNK_DAYS
}

/** The same days in smaller windows, newest first; null when it can't be split. */
export function narrowed(window: Window): Window[] | null {
  const { from, to } = window
  if (from === null || to === null) return null
  const days = daysBetween(from, to) + 1
  if (days <= 1) return null
  const chunk = days > CHUNK_DAYS ? CHUNK_DAYS : Math.ceil(days / 2)
  const parts: Window[] = []
  for (let end = to; end >= from; end = addDays(end, -chunk)) {
    const start = addDays(end, 1 - chunk)
    parts.push({ ...window, from: [from, start].sort()[1] ?? from, to: end })
  }
  return parts
}
