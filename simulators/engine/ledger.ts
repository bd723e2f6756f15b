import type { CallRecord, EffectRecord } from './contract.ts'

/** Calls kept in memory and on disk; older ones are only counted. */
const CALLS_KEPT = 20_000

/** What clients did: every call, and separately every effect. Calls may repeat, effects must not. */
export interface Ledger {
  calls: CallRecord[]
  effects: EffectRecord[]
  begin(call: Omit<CallRecord, 'id' | 'requestId' | 'when' | 'status' | 'outcome'>): CallRecord
  end(call: CallRecord, outcome: string, status: number | null): void
  effect(effect: Omit<EffectRecord, 'id' | 'when'>): void
  restoreCall(call: CallRecord): void
  totalCalls(): number
}

export function createLedger(
  persist: (kind: 'call' | 'effect', value: unknown) => void,
  requestIdOf: (n: number) => string,
): Ledger {
  const calls: CallRecord[] = []
  const effects: EffectRecord[] = []
  let total = 0
  function keep(call: CallRecord): void {
    calls.push(call)
    if (calls.length > CALLS_KEPT * 1.25) calls.splice(0, calls.length - CALLS_KEPT)
  }
  return {
    calls,
    effects,
    begin(facts) {
      total += 1
      const call: CallRecord = {
        id: total,
        requestId: requestIdOf(total),
        when: new Date().toISOString(),
        ...facts,
        status: null,
        outcome: 'running',
      }
      keep(call)
      return call
    },
    end(call, outcome, status) {
      call.outcome = outcome
      call.status = status
      persist('call', call)
    },
    effect(facts) {
      const effect: EffectRecord = { id: effects.length + 1, when: new Date().toISOString(), ...facts }
      effects.push(effect)
      persist('effect', effect)
    },
    restoreCall(call) {
      total = Math.max(total, call.id)
      keep(call)
    },
    totalCalls: () => total,
  }
}
