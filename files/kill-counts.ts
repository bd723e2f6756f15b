import type { KillReason } from './refusals.ts'

/** How much a kill says against the file: at 1 it is refused for good. A busy machine can cause those below 1. */
const WEIGHTS: Readonly<Record<KillReason, number>> = { memory: 1, cpu: 1, time: 0.5, crash: 0.5, starved: 0.05 }
/** Files whose kills are remembered; the oldest is evicted. */
const REMEMBERED = 1_000

/** Kills by file, identified by SHA-256, in this process. */
export function createKillCounts() {
  const kills = new Map<string, { count: number; weight: number }>()
  return {
    /** Whether the file is refused for good. */
    isRefused: (hash: string) => isFinal(kills.get(hash)?.weight ?? 0),
    /** @returns number of kills by this file so far, and whether it is refused for good now */
    add(hash: string, reason: KillReason): { count: number; final: boolean } {
      const before = kills.get(hash) ?? { count: 0, weight: 0 }
      const after = { count: before.count + 1, weight: before.weight + WEIGHTS[reason] }
      kills.delete(hash)
      kills.set(hash, after)
      const [oldest] = kills.keys()
      if (kills.size > REMEMBERED && oldest !== undefined) kills.delete(oldest)
      return { count: after.count, final: isFinal(after.weight) }
    },
  }
}

/** Sums of 0.05 are not exact. */
const isFinal = (weight: number) => weight > 0.999
