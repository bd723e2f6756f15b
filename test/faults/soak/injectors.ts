import { setTimeout as pause } from 'node:timers/promises'
import type { FaultKind } from '../../../simulators/engine/faults.ts'
import type { FaultName } from '../cells.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { FAULT_ACTIONS } from '../testbed/victims.ts'

/** Share of the requests at a PSP. */
const SHARE = 0.05
/** Transient faults only; the suite `ambiguous` covers definite refusals. */
const KINDS: readonly FaultKind[] = [
  ...(['429', '500', '500_after_apply', '502_html', '503_empty'] as const),
  ...(['reset', 'reset_after_apply', 'timeout', 'timeout_after_apply'] as const),
  ...(['malformed', 'truncated', 'empty', 'slow'] as const),
]
const STRIKES: readonly FaultName[] = [
  ...(['api:kill', 'api:term', 'worker:kill', 'worker:term', 'worker:freeze'] as const),
  ...(['temporal:kill', 'postgres:kill'] as const),
]
const EVERY_MS = 10_000
/** Longer than the timeouts of heartbeats and of command attempts in this environment. */
const FROZEN_MS = 17_000

export interface Injection {
  /** How often, by kind. */
  counts: Map<string, number>
  end(): Promise<void>
}

/** One request in twenty gets an ambiguous response, whatever it is about. */
export function injectPspFaults({ engines }: Testbed, chance: () => number): Injection {
  const counts = new Map<string, number>()
  const originals = Object.values(engines).map(({ faults }) => ({ faults, take: faults.take }))
  for (const { faults, take } of originals)
    faults.take = (...request) => {
      const armed = take(...request)
      if (armed || chance() >= SHARE) return armed
      const kind = KINDS[Math.floor(chance() * KINDS.length)] as FaultKind
      count(counts, kind)
      return { id: 'soak', kind, match: undefined, left: 0, retryAfter: '1', delayMs: 1_000 }
    }
  return {
    counts,
    async end() {
      for (const { faults, take } of originals) faults.take = take
    },
  }
}

/** Injects a fault every ten seconds; after the last one everything runs. */
export function injectFaults(testbed: Testbed, chance: () => number): Injection {
  const counts = new Map<string, number>()
  let over = false
  let failure: unknown
  const waits = { release: async () => undefined, takenOver: () => pause(FROZEN_MS) }
  const options = { chance, ...waits, about: [], disputes: [], free: [] }
  const injecting = (async () => {
    while (!over) {
      const next = pause(EVERY_MS)
      const strike = STRIKES[Math.floor(chance() * STRIKES.length)] as FaultName
      await FAULT_ACTIONS[strike](testbed, options)
      count(counts, strike)
      await next
    }
  })().catch((error) => {
    failure = error
  })
  return {
    counts,
    async end() {
      over = true
      await injecting
      if (failure) throw failure
    },
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export const sumOf = ({ counts }: Injection) => [...counts.values()].reduce((sum, one) => sum + one, 0)
