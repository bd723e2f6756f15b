import { Gauge, type Registry } from 'prom-client'
import type { SweepState } from '../../db/retention/retention.ts'

/** Progress of the sweeps of expired rows, by kind of row. No value when the rows can't be read. */
export function sweepGauges(registry: Registry, read: () => Promise<SweepState[]>): void {
  const figures: [name: string, help: string, value: (state: SweepState) => number | null][] = [
    [
      'retention_deleted_rows',
      'Rows deleted after their retention period, since the first start',
      (one) => one.deleted,
    ],
    [
      'retention_oldest_seconds',
      'Age of the oldest row that the last complete pass kept; 0 = none',
      (one) => one.oldestSeconds ?? 0,
    ],
    ['retention_pass_seconds', 'Age of the last complete pass; none before the first', (one) => one.passedSeconds],
  ]
  let shared: Promise<SweepState[]> | undefined
  // One read serves the three gauges, which are collected together.
  const together = () => {
    shared ??= read().finally(() => {
      shared = undefined
    })
    return shared.catch(() => [])
  }
  for (const [name, help, value] of figures)
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers: [registry],
      async collect() {
        const states = await together()
        this.reset()
        for (const state of states) {
          const figure = value(state)
          if (figure !== null) this.set({ kind: state.kind }, figure)
        }
      },
    })
}
