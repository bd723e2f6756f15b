import { FAULT_POINTS } from './points.ts'

export interface FaultPointUse {
  /** Fault points at which each suite injects faults. */
  suites: Readonly<Record<string, readonly string[]>>
  /** Source text of the product, by file. */
  product: Readonly<Record<string, string>>
}

/** Covered by a separate test, because scope rules change no command. */
const COVERED_ELSEWHERE: readonly string[] = ['scope.before_slice']

/**
 * Violations of the rules of fault points: each step of a suite names one that exists, each is used by a suite, and the
 * product names none (decision 40).
 */
export function faultPointFaults({ suites, product }: FaultPointUse): string[] {
  const used = new Set(Object.values(suites).flat())
  const names = ['CRASH_AT', 'HOLD_AT', 'fault-points', ...FAULT_POINTS]
  return [
    ...Object.entries(suites).flatMap(([suite, points]) =>
      points.length === 0 ? [`${suite} uses no fault point`] : unknown(suite, points),
    ),
    ...FAULT_POINTS.filter((point) => !used.has(point) && !COVERED_ELSEWHERE.includes(point)).map(
      (point) => `no suite strikes at ${point}`,
    ),
    ...Object.entries(product).flatMap(([file, text]) =>
      names.filter((name) => text.includes(name)).map((name) => `${file} names ${name}`),
    ),
  ]
}

function unknown(suite: string, points: readonly string[]): string[] {
  const existing: readonly string[] = FAULT_POINTS
  return [...new Set(points)]
    .filter((point) => !existing.includes(point))
    .map((point) => `${suite}: no ${point} exists`)
}
