import { Gauge, type Registry } from 'prom-client'
import type { Count, Figure } from '../../db/core/gauges.ts'

/**
 * A gauge by PSP and status. For each known PSP an empty status is reported as 0, so that its alarm ends. No value when
 * the rows can't be read.
 */
export function countGauge(
  registry: Registry,
  { name, help, statuses }: { name: string; help: string; statuses: readonly string[] },
  read: () => Promise<Count[]>,
): void {
  new Gauge({
    name,
    help,
    labelNames: ['psp', 'status'],
    registers: [registry],
    async collect() {
      const counts = await read().catch(() => [])
      this.reset()
      for (const psp of new Set(counts.map((count) => count.psp)))
        for (const status of statuses) this.set({ psp, status }, 0)
      for (const { psp, status, count } of counts) this.set({ psp, status }, count)
    },
  })
}

/**
 * A gauge with one label. A value of the label that was reported once is reported as 0 when its rows are gone. No value
 * when the rows can't be read.
 */
export function figureGauge(
  registry: Registry,
  { name, help, label }: { name: string; help: string; label: string },
  read: () => Promise<Figure[]>,
): void {
  const known = new Set<string>()
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const figures = await read().catch(() => null)
      this.reset()
      for (const { of } of figures ?? []) known.add(of)
      if (figures) for (const of of known) this.labels(of).set(0)
      for (const { of, value } of figures ?? []) this.labels(of).set(value)
    },
  })
}

/** The pause after a reading is this many times its duration: it costs at most a hundredth of one connection. */
const SHARE = 100
const SHORTEST_MS = 5_000
const LONGEST_MS = 15 * 60 * 1000

/**
 * Caches a reading that is too expensive for every scrape. Callers get the last result, or its error, at once, and one
 * of them starts the next reading. Only the first caller waits. A result is at most one scrape older than its time.
 */
export function readSparingly<Result>(
  read: () => Promise<Result>,
  now: () => number = () => performance.now(),
): () => Promise<Result> {
  let last: Promise<Result> | undefined
  let running: Promise<Result> | undefined
  let dueAt = Number.NEGATIVE_INFINITY
  function renew(): Promise<Result> {
    const started = now()
    const reading = read()
    const ended = () => {
      dueAt = now() + Math.min(Math.max((now() - started) * SHARE, SHORTEST_MS), LONGEST_MS)
      last = reading
      running = undefined
    }
    reading.then(ended, ended)
    return reading
  }
  return () => {
    if (!running && now() >= dueAt) running = renew()
    return last ?? (running as Promise<Result>)
  }
}
