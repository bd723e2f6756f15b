import { asRecord } from '../../../adapters/shared/raw-json.ts'
import type { CallRecord, EffectRecord } from '../../../simulators/engine/contract.ts'
import { type Match, matches } from '../../../simulators/engine/match.ts'
import { hashOf } from '../testbed/documents.ts'
import { contestOf, KEYED, requestOf } from '../testbed/psps.ts'
import type { Evidence, Violation } from './violation.ts'

/**
 * I2: one effect per chargeback, action and round, in the PSP's own ledger; every request carried our key, a repeated
 * one the same, and was preceded by a read. I5: never acceptance and submission both.
 */
export function effectsOnce({ testbed, command, disputes }: Evidence): Violation[] {
  return disputes.flatMap(({ adapter, reference, chargebackId }): Violation[] => {
    const { ledger } = testbed.engines[adapter]
    const found: Violation[] = []
    const broken = (invariant: Violation['invariant'], sentence: string) =>
      void found.push({ invariant, chargebackId, sentence })
    const of = (kind: EffectRecord['kind']) =>
      ledger.effects.filter((effect) => effect.ref === reference && effect.kind === kind)
    const applied = of(command)
    if (applied.length !== 1) broken('I2', `the PSP's ledger shows ${applied.length} effects, not 1`)
    if (of('acceptance').length > 0 && of('submission').length > 0) broken('I5', 'accepted and contested')
    // Only where the path identifies the request and the dispute.
    const match = requestOf(adapter, command === 'acceptance' ? 'accept' : 'submit', reference)
    const writes = match && match.body === undefined ? callsOf(ledger.calls, match) : []
    const reads = callsOf(ledger.calls, requestOf(adapter, 'read', reference))
    for (const [index, write] of writes.entries()) {
      const before = writes[index - 1]
      if (before && !reads.some(({ id }) => id > before.id && id < write.id))
        broken('I2', 'it was sent again without a read in between')
    }
    if (!KEYED.includes(adapter)) return found
    if (applied.some((effect) => !effect.idempotencyKey)) broken('I2', 'the request that took effect carried no key')
    for (const sentence of keysKept(writes)) broken('I2', sentence)
    return found
  })
}

/** A repeated request carries the same key, unless the PSP replayed its response and therefore did nothing. */
function keysKept(writes: readonly CallRecord[]): string[] {
  return writes.flatMap((write, index) => {
    const before = writes[index - 1]
    if (write.idempotencyKey === null) return ['a request carried no key']
    if (!before || before.outcome === 'replayed' || before.idempotencyKey === write.idempotencyKey) return []
    return [`a request carried another key than the one before it, which was ${before.outcome}`]
  })
}

const callsOf = (calls: readonly CallRecord[], match: Match | null) =>
  match ? calls.filter((call) => matches(match, call.method, call.path)) : []

/** I2 where a request's path names no dispute: requests with the same body are about the same one. */
export function keysOfAll({ testbed }: Evidence): Violation[] {
  const calls = testbed.engines.adyen?.ledger.calls ?? []
  return ['acceptDispute', 'defendDispute'].flatMap((path) => {
    const bodies = new Map<string | null, CallRecord[]>()
    for (const call of calls.filter((one) => one.path.endsWith(path)))
      bodies.set(call.bodySha256, [...(bodies.get(call.bodySha256) ?? []), call])
    const sentences = [...bodies.values()].flatMap(keysKept)
    return sentences.map((sentence) => ({
      invariant: 'I2' as const,
      chargebackId: null,
      sentence: `${path}: ${sentence}`,
    }))
  })
}

/**
 * I6: the bytes at the PSP are those that were uploaded to Recoup; at a PSP with staging, they were staged and read
 * back before the submission.
 */
export async function bytesTrue({ testbed, command, disputes }: Evidence): Promise<Violation[]> {
  if (command !== 'submission') return []
  const found: Violation[] = []
  for (const dispute of disputes) {
    const { adapter, reference, chargebackId } = dispute
    const { effects, calls } = testbed.engines[adapter].ledger
    const sha256 = await hashOf(dispute)
    const uploads = effects.filter((one) => one.kind === 'upload' && one.details.sha256 === sha256)
    if (uploads.length === 0)
      found.push({ invariant: 'I6', chargebackId, sentence: 'the bytes at the PSP are not those of the file' })
    const sent = effects.find((one) => one.ref === reference && one.kind === 'submission')?.details.files
    if (dispute.twoDocuments && Object.keys(asRecord(sent) ?? {}).length !== 2)
      found.push({ invariant: 'I6', chargebackId, sentence: 'it was not sent with two documents, as it was planned' })
    const contest = contestOf(adapter)
    const stage = requestOf(adapter, 'stage', reference)
    // Where the path names no dispute, the dispute of a staging is unknown.
    if (contest === false || contest.mode !== 'staged' || !stage?.path?.includes(reference)) continue
    const submitted = effects.find((one) => one.ref === reference && one.kind === 'submission')
    const submission = calls.find((call) => call.requestId === submitted?.requestId)
    const { body: _, ...pattern } = stage
    const before = calls.filter((call) => matches(pattern, call.method, call.path) && call.id < (submission?.id ?? 0))
    if (submitted && before.length === 0)
      found.push({ invariant: 'I6', chargebackId, sentence: 'submitted without having been staged and read back' })
  }
  return found
}
