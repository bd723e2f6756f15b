import { type Match, matches } from './match.ts'

/**
 * How a call fails. `429_lock`: too many at one object, where the PSP tells that apart. `*_after_apply`: the effect happened, the answer says otherwise or never comes. `500_stored`: not
 * applied, but answered the same again for its idempotency key. The others never reach the PSP's own logic, except
 * `malformed`, `truncated`, `slow`, `trickle`, `empty` and `unlabelled`, which make a valid response invalid on its way, and
 * `empty_page`, `repeated_item`, `endless_pages`, which make a list invalid, in the PSP's own format.
 */
export const FAULT_KINDS = [
  '429',
  '429_lock',
  '401',
  '403',
  '409',
  '422',
  '500',
  '500_stored',
  '500_after_apply',
  '502_html',
  '503_empty',
  'reset',
  'reset_after_apply',
  'timeout',
  'timeout_after_apply',
  'malformed',
  'truncated',
  'slow',
  'trickle',
  'empty',
  'unlabelled',
  '200_html',
  'redirect',
  'empty_page',
  'repeated_item',
  'endless_pages',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  id: string
  kind: FaultKind
  match: Match | undefined
  left: number
  /** Retry-After header, sent unchanged: seconds or an HTTP date. */
  retryAfter: string | undefined
  /** Delay of `slow`, pause between two bytes of `trickle`, in ms. */
  delayMs: number
}

export interface Faults {
  arm(fault: Omit<Fault, 'id'>): Fault
  /** The fault for this request, if any; counts it. */
  take(method: string, path: string, body: string): Fault | undefined
  list(): Fault[]
  clear(): number
}

/** Faults apply in the order in which they were armed, for the lifetime of the process. */
export function createFaults(): Faults {
  let armed: Fault[] = []
  let count = 0
  return {
    arm(facts) {
      count += 1
      const fault: Fault = { id: `fault_${count}`, ...facts }
      armed.push(fault)
      return fault
    },
    take(method, path, body) {
      const fault = armed.find((candidate) => matches(candidate.match, method, path, body))
      if (fault === undefined) return undefined
      fault.left -= 1
      armed = armed.filter((candidate) => candidate.left > 0)
      return fault
    },
    list: () => armed,
    clear() {
      const cleared = armed.length
      armed = []
      return cleared
    },
  }
}
