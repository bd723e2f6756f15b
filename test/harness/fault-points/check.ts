import { FAULT_POINTS } from './points.ts'

export interface FaultPointUse {
  /** Fault points at which each suite strikes. */
  suites: Readonly<Record<string, readonly string[]>>
  /** Source text of the product, by file. */
  product: Readonly<Record<string, string>>
}

/** Struck by a test of its own: scope rules change no command. */
const STRUCK_APART: readonly string[] = ['scope.before_slice']

/**
 * What breaks the rules of fault points: each step of a suite names one that exists, each is struck by some suite, and
 * the product knows of none (decision 40).
 */
export function faultPointFaults({ suites, product }: FaultPointUse): string[] {
  const struck = new Set(Object.values(suites).flat())
  const names = ['CRASH_AT', 'HOLD_AT', 'fault-points', ...FAULT_POINTS]
  return [
    ...Object.entries(suites).flatMap(([suite, points]) =>
      points.length === 0 ? [`${suite} strikes at no fault point`] : unknown(suite, points),
    ),
    ...FAULT_POINTS.filter((point) => !struck.has(point) && !STRUCK_APART.includes(point)).map(
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
