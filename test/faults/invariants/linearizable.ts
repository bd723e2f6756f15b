import { condensed, isWrite, linesOf, type Operation } from '../history.ts'
import { AT_FIRST, after, type Effects, endsWith, type Rules, type State } from './one-chargeback.ts'

/** Maximum lines of a history that a violation quotes. */
const QUOTED = 12

/**
 * Whether a sequential order of the requests explains every response and the PSP's final ledger. A request that ended
 * before another one began stays before it; a request without a response takes effect at any later time, or never. Wing
 * and Gong's search, with memoization.
 * @returns null if there is such an order, else a violation
 */
export function explained(history: readonly Operation[], rules: Rules, effects: Effects | null): string | null {
  const operations = condensed(history)
  const search = openSearch(operations, rules, effects)
  if (search.from(AT_FIRST)) return null
  const { placed, stuck } = search.furthest
  const quote = (some: readonly Operation[]) => {
    const lines = linesOf(operations).filter((_, at) => some.includes(operations[at] as Operation))
    return lines.slice(-QUOTED).join('; ')
  }
  const end =
    stuck.length > 0 ? `nothing explains ${quote(stuck)}` : `the PSP's ledger shows ${JSON.stringify(effects)}`
  return `no order explains the responses: after ${placed.length} (${quote(placed)}) ${end}`
}

function openSearch(operations: readonly Operation[], rules: Rules, effects: Effects | null) {
  const done = new Set<number>()
  const tried = new Set<string>()
  const furthest: { placed: readonly Operation[]; stuck: readonly Operation[] } = { placed: [], stuck: operations }
  const left = () => operations.flatMap((_, at) => (done.has(at) ? [] : [at]))
  const one = (at: number) => operations[at] as Operation

  function note(waiting: readonly number[]): void {
    const open = waiting.filter((at) => one(at).response !== null)
    const fewer = open.length < furthest.stuck.length
    if (!fewer && !(open.length === 0 && furthest.stuck.length === 0)) return
    furthest.placed = operations.filter((_, at) => done.has(at))
    furthest.stuck = open.map(one)
  }

  /** Those that may come next: no remaining request ended before they began. */
  function candidates(waiting: readonly number[]): number[] {
    const ended = Math.min(...waiting.map((at) => one(at).to ?? Number.POSITIVE_INFINITY))
    const seen = new Set<string>()
    return waiting.filter((at) => {
      const { request, from, response } = one(at)
      if (from > ended) return false
      if (response !== null) return true
      // Of equal requests without a response, it is enough to try the first.
      const key = JSON.stringify(request)
      return !seen.has(key) && seen.add(key)
    })
  }

  function from(state: State): boolean {
    const waiting = left()
    note(waiting)
    if (waiting.every((at) => one(at).response === null) && (!effects || endsWith(state, effects, rules))) return true
    const key = `${waiting.join()} ${JSON.stringify(state)}`
    if (tried.has(key)) return false
    tried.add(key)
    return candidates(waiting).some((at) => {
      const { request, response } = one(at)
      done.add(at)
      const found = after(state, request, response, rules).some(
        // A request without a response matters only if it changes the state.
        (next) => (response !== null || (isWrite(one(at)) && next !== state)) && from(next),
      )
      done.delete(at)
      return found
    })
  }
  return { from, furthest }
}
