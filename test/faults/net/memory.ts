import { execFileSync } from 'node:child_process'
import { MAX_BYTES_AT_ONCE } from '../../../adapters/shared/response-bytes.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import { injectListFault, type Listed } from './listing.ts'
import { PSP_FAULTS, type PspFault } from './psp-faults.ts'

/**
 * Heap limit of a worker, MB; it uses about 60. V8 collects garbage before the limit and ends a process that needs
 * more, so that a lazy garbage collector doesn't affect the result.
 */
export const HEAP_MB = 256
/**
 * Maximum growth of a worker, MB: its whole heap; the responses that are being read, once in chunks and once as a
 * whole; and as much again as all responses at once, which the C library doesn't free.
 */
const PEAK_MB = HEAP_MB + 3 * (MAX_BYTES_AT_ONCE / 1_048_576)
/** The faults with the largest responses, from all PSPs at once, in `ROUNDS` rounds. */
const HEAVY = ['page_10mb', 'gzip_bomb'].map((key) => PSP_FAULTS[key] as PspFault)
const ROUNDS = 4
/** Maximum MB between the lowest levels of the second and the last round. A leak of one page of each PSP makes 80. */
const SLOPE_MB = 50
export const MEMORY_TITLE = `with ${HEAP_MB} MB of heap the worker survives rounds of the largest responses of all PSPs at once, grows by at most ${PEAK_MB} MB and keeps nothing`

/** Resident megabytes of a process, measured four times a second. */
export interface MemoryWatch extends Disposable {
  first: number
  /** Lowest level since the last call. */
  lowest(): number
  /** Largest growth since the start. */
  grown(): number
}

export function watchMemory(pid: number): MemoryWatch {
  const megabytes = () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
  const first = megabytes()
  let most = first
  let least = first
  const measure = () => {
    try {
      const now = megabytes()
      most = Math.max(most, now)
      least = Math.min(least, now)
    } catch {
      // It ended: other checks report that.
    }
  }
  const timer = setInterval(measure, 250)
  return {
    first,
    lowest() {
      const found = least
      least = Number.POSITIVE_INFINITY
      measure()
      return Math.round(found)
    },
    grown: () => Math.round(most - first),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Repeats the heaviest faults, after all the others. @returns violations */
export async function weighDown(
  all: readonly Listed[],
  memory: MemoryWatch,
  print: SuiteOptions['print'],
): Promise<string[]> {
  const levels: number[] = []
  const why: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    memory.lowest()
    await Promise.all(
      all.map(async (listed) => {
        for (const fault of HEAVY) why.push(...(await injectListFault(listed, fault)))
      }),
    )
    levels.push(memory.lowest())
  }
  const kept = (levels.at(-1) ?? 0) - (levels[1] ?? 0)
  print?.(`  memory: ${memory.grown()} MB more at the most, at the least ${levels.join(', ')} MB in each round`)
  if (memory.grown() > PEAK_MB) why.push(`the worker grew by ${memory.grown()} MB, not at most ${PEAK_MB}`)
  if (kept > SLOPE_MB) why.push(`after ${ROUNDS} rounds it uses ${kept} MB more than after the second`)
  return [...new Set(why)]
}
