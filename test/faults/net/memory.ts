import { execFileSync } from 'node:child_process'
import { MAX_BYTES_AT_ONCE } from '../../../adapters/shared/response-bytes.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import { type Listed, spoilListing } from './listing.ts'
import { PSP_FAULTS, type PspFault } from './psp-faults.ts'

/**
 * What a worker has for all its objects, MB; it holds some 60. V8 ends a process that needs more, and collects before
 * it gets there: how lazy the collector is elsewhere doesn't count here.
 */
export const HEAP_MB = 256
/**
 * Most that a worker may take beyond what it had at first, MB: its whole heap; the answers that are being read, once in
 * pieces and once as a whole; and as much again as all answers at once, which the C library doesn't give back.
 */
const PEAK_MB = HEAP_MB + 3 * (MAX_BYTES_AT_ONCE / 1_048_576)
/** The largest answers, from all PSPs at once, so many times. */
const HEAVY = ['page_10mb', 'gzip_bomb'].map((key) => PSP_FAULTS[key] as PspFault)
const ROUNDS = 4
/** MB between the lowest levels of the second round and the last; the first warms up. A page of each PSP kept in each makes 80. */
const SLOPE_MB = 50
export const MEMORY_TITLE = `the worker lives with ${HEAP_MB} MB of heap, takes ${PEAK_MB} MB more at the most and keeps nothing of rounds of the largest answers of all PSPs at once`

/** Resident megabytes of a process, looked at four times a second. */
export interface MemoryWatch extends Disposable {
  first: number
  /** Lowest level since this was asked last. */
  lowest(): number
  /** The most beyond what it had at first. */
  grown(): number
}

export function watchMemory(pid: number): MemoryWatch {
  const megabytes = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  const first = megabytes()
  let most = first
  let least = first
  const look = () => {
    try {
      const now = megabytes()
      most = Math.max(most, now)
      least = Math.min(least, now)
    } catch {
      // It ended: others tell of that.
    }
  }
  const timer = setInterval(look, 250)
  return {
    first,
    lowest() {
      const found = least
      least = Number.POSITIVE_INFINITY
      look()
      return Math.round(found)
    },
    grown: () => Math.round(most - first),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** The heaviest troubles again and again, after all the others. @returns what does not hold */
export async function weighDown(
  all: readonly Listed[],
  memory: MemoryWatch,
  told: SuiteOptions['told'],
): Promise<string[]> {
  const levels: number[] = []
  const why: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    memory.lowest()
    await Promise.all(
      all.map(async (listed) => {
        for (const fault of HEAVY) why.push(...(await spoilListing(listed, fault)))
      }),
    )
    levels.push(memory.lowest())
  }
  const kept = (levels.at(-1) ?? 0) - (levels[1] ?? 0)
  told?.(`  memory: ${memory.grown()} MB more at the most, at the least ${levels.join(', ')} MB in each round`)
  if (memory.grown() > PEAK_MB) why.push(`the worker grew by ${memory.grown()} MB, not at most ${PEAK_MB}`)
  if (kept > SLOPE_MB) why.push(`after ${ROUNDS} rounds it holds ${kept} MB more than after the second`)
  return [...new Set(why)]
}
