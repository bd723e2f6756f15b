import type { Pass } from '../peers/contender.ts'
import type { Context } from '../runner/context.ts'

export const cpuOf = ({ cpuMs, postgresCpuMs }: Pass) => cpuMs + (postgresCpuMs ?? 0)
export const rateOf = ({ rows, wallMs }: Pass) => (rows * 1000) / wallMs
/** Per second of processor time, that of Postgres included: no work hides in the database. */
export const cpuRate = (pass: Pass) => (pass.rows * 1000) / cpuOf(pass)

export function printOwn(context: Context, name: string, passes: Pass[], loudPairs: number): void {
  const per = (figure: string, value: (pass: Pass) => number) =>
    context.metric(
      { name: `${name}.${figure}`, unit: 'µs/dispute', clock: 'cpu', ours: passes.map(value), anchor: null },
      loudPairs,
    )
  context.metric(
    { name: `${name}.rate`, unit: 'disputes/s', clock: 'wall', ours: passes.map(rateOf), anchor: null },
    loudPairs,
  )
  per('client_cpu', ({ cpuMs, rows }) => (cpuMs * 1000) / rows)
  if (passes.every(({ postgresCpuMs }) => postgresCpuMs !== null))
    per('postgres_cpu', ({ postgresCpuMs, rows }) => ((postgresCpuMs ?? 0) * 1000) / rows)
}

/** Rates by the wall clock and by processor time, next to somebody else's in the same pairs. */
export function printRatios(
  context: Context,
  name: string,
  ours: Pass[],
  beside: { name: string; passes: Pass[] },
  loudPairs: number,
): void {
  const line = (figure: string, unit: string, clock: 'wall' | 'cpu', value: (pass: Pass) => number) =>
    context.metric(
      {
        ...{ name: `${name}.${figure}`, unit, clock, ours: ours.map(value) },
        anchor: { name: beside.name, values: beside.passes.map(value) },
      },
      loudPairs,
    )
  line('rate', 'disputes/s', 'wall', rateOf)
  line('cpu', 'disputes/CPU-s', 'cpu', cpuRate)
}
