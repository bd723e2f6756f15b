import { megabytesOf } from '../invariants/baseline.ts'

const EVERY_MS = 5_000
/** Share of the time that is ignored: caches and heaps grow to their size first. */
const WARM_UP = 0.25
/** Parts of the time. The lowest value of each part counts, because garbage comes and goes. */
const PARTS = 20

export interface Sample {
  /** ms since it began */
  at: number
  megabytes: number
}

export interface Scales {
  now(): Record<string, number>
  stop(): Record<string, Sample[]>
}

/** Measures the memory of processes without faults, repeatedly. */
export function weigh(pids: Record<string, number>): Scales {
  const began = Date.now()
  const samples: Record<string, Sample[]> = Object.fromEntries(Object.keys(pids).map((name) => [name, []]))
  const take = () => {
    for (const [name, pid] of Object.entries(pids))
      samples[name]?.push({ at: Date.now() - began, megabytes: megabytesOf(pid) })
  }
  take()
  const timer = setInterval(take, EVERY_MS)
  return {
    now: () => Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, some.at(-1)?.megabytes ?? 0])),
    stop() {
      clearInterval(timer)
      return samples
    },
  }
}

/**
 * Growth of a process after its warm-up, in percent an hour: the regression line through the lowest value of each part.
 */
export function percentAnHour(samples: readonly Sample[]): number {
  const last = samples.at(-1)?.at ?? 0
  const warm = samples.filter(({ at }) => at >= last * WARM_UP)
  const width = (last * (1 - WARM_UP)) / PARTS
  const least = new Map<number, Sample>()
  for (const sample of warm) {
    const part = Math.min(PARTS - 1, Math.floor((sample.at - last * WARM_UP) / width))
    const known = least.get(part)
    if (!known || sample.megabytes < known.megabytes) least.set(part, sample)
  }
  const points = [...least.values()].map(({ at, megabytes }) => ({ x: at / 3_600_000, y: megabytes }))
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const spread = mean((point) => (point.x - x) ** 2)
  return spread === 0 ? 0 : (mean((point) => (point.x - x) * (point.y - y)) / spread / y) * 100
}
