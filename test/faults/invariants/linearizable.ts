import { condensed, isWrite, linesOf, type Operation } from '../history.ts'
import { AT_FIRST, after, type Effects, endsWith, type Rules, type State } from './one-chargeback.ts'

/** Lines of a history that a sentence quotes. */
const QUOTED = 12

/**
 * Whether there is an order of one after the other that explains every answer: none of two of which one had ended before
 * the other began is turned round, and what nobody was answered takes effect at any time from then on, or never. Wing
 * and Gong's search, with a memory of what it has tried; and what the PSP's ledger shows in the end has to come of it.
 * @returns null when there is one, else a sentence
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
  return `no order explains what the clients were told: after ${placed.length} (${quote(placed)}) ${end}`
}

function openSearch(operations: readonly Operation[], rules: Rules, effects: Effects | null) {
  const done = new Set<number>()
  const tried = new Set<string>()
  const furthest: { placed: readonly Operation[]; stuck: readonly Operation[] } = { placed: [], stuck: operations }
  const left = () => operations.flatMap((_, at) => (done.has(at) ? [] : [at]))
  const one = (at: number) => operations[at] as Operation

  function note(waiting: readonly number[]): void {
    const open = waiting.filter((at) => one(at).answer !== null)
    const fewer = open.length < furthest.stuck.length
    if (!fewer && !(open.length === 0 && furthest.stuck.length === 0)) return
    furthest.placed = operations.filter((_, at) => done.has(at))
    furthest.stuck = open.map(one)
  }

  /** Those that may come next: nothing that is left had ended before they began. */
  function candidates(waiting: readonly number[]): number[] {
    const ended = Math.min(...waiting.map((at) => one(at).to ?? Number.POSITIVE_INFINITY))
    const seen = new Set<string>()
    return waiting.filter((at) => {
      const { asked, from, answer } = one(at)
      if (from > ended) return false
      if (answer !== null) return true
      // Of those that ask the same and were never answered the first will do for all.
      const key = JSON.stringify(asked)
      return !seen.has(key) && seen.add(key)
    })
  }

  function from(state: State): boolean {
    const waiting = left()
    note(waiting)
    if (waiting.every((at) => one(at).answer === null) && (!effects || endsWith(state, effects, rules))) return true
    const key = `${waiting.join()} ${JSON.stringify(state)}`
    if (tried.has(key)) return false
    tried.add(key)
    return candidates(waiting).some((at) => {
      const { asked, answer } = one(at)
      done.add(at)
      const found = after(state, asked, answer, rules).some(
        // What nobody was answered is of use only where it changes something.
        (next) => (answer !== null || (isWrite(one(at)) && next !== state)) && from(next),
      )
      done.delete(at)
      return found
    })
  }
  return { from, furthest }
}
