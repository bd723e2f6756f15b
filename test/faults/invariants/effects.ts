import type { EffectRecord } from '../../../adapters/simulator/contract.ts'
import { matches } from '../../../adapters/simulator/match.ts'
import { ACCEPT_REQUEST, KEYED } from '../psps.ts'
import type { Evidence, Violation } from './violation.ts'

/**
 * I2: one effect per chargeback, action and round, in the PSP's own ledger; every request carried our key, a repeated
 * one the same. I5: never acceptance and submission both.
 */
export function effectsOnce({ ground, command, disputes }: Evidence): Violation[] {
  return disputes.flatMap((dispute): Violation[] => {
    const { adapter, reference, chargebackId } = dispute
    const { ledger } = ground.engines[adapter]
    const found: Violation[] = []
    const effects = ledger.effects.filter((effect) => effect.ref === reference)
    const of = (kind: EffectRecord['kind']) => effects.filter((effect) => effect.kind === kind)
    const count = of(command).length
    if (count !== 1)
      found.push({ invariant: 'I2', chargebackId, sentence: `the PSP's ledger shows ${count} effects, not 1` })
    if (of('acceptance').length > 0 && of('submission').length > 0)
      found.push({ invariant: 'I5', chargebackId, sentence: 'accepted and contested' })
    if (KEYED.includes(adapter) && effects.some((effect) => effect.kind === command && !effect.idempotencyKey))
      found.push({ invariant: 'I2', chargebackId, sentence: 'the request that took effect carried no key' })
    if (command === 'acceptance' && KEYED.includes(adapter)) {
      const { body, ...match } = ACCEPT_REQUEST[adapter](reference)
      // Adyen's paths name no dispute: there the keys of all are counted by `keysOfAll`.
      const keys = body ? [] : ledger.calls.filter((call) => matches(match, call.method, call.path))
      const different = new Set(keys.map((call) => call.idempotencyKey))
      if (different.size > 1 || different.has(null))
        found.push({ invariant: 'I2', chargebackId, sentence: `its requests carried ${different.size} different keys` })
    }
    return found
  })
}

/** I2 where a request's path names no dispute: not more keys than disputes that were written to. */
export function keysOfAll({ ground }: Evidence): Violation[] {
  const engine = ground.engines.adyen
  if (!engine) return []
  const calls = engine.ledger.calls.filter((call) => call.path.endsWith('/acceptDispute'))
  const keys = new Set(calls.map((call) => call.idempotencyKey))
  const written = new Set(engine.ledger.effects.filter((one) => one.kind === 'acceptance').map((one) => one.ref))
  if (keys.size <= written.size && !keys.has(null)) return []
  const sentence = `${keys.size} keys for ${written.size} accepted disputes at adyen`
  return [{ invariant: 'I2', chargebackId: null, sentence }]
}
