import assert from 'node:assert/strict'
import type { Adapter } from '../../contract.ts'
import { type Bench, impatient, refusal, writesOf } from '../bench.ts'
import { must, type Suite, skip } from '../check.ts'

/** Acceptance happens once, even if the response is lost. */
export const acceptanceSuite: Suite = {
  name: 'acceptance',
  checks: [
    { name: 'is taken in every declared stage', run: everyStage },
    { name: 'carries the key, the same on every attempt', run: sameKey },
    { name: 'applied but unanswered: the probe or the same call tells, nothing is applied twice', run: unanswered },
    { name: 'reset after applying: the probe or the same call tells', run: resetAfter },
    { name: 'a 500 that applied: the probe says done, or never anything else', run: appliedWith500 },
    { name: 'never applied: the probe says not_done, and a second attempt applies', run: notApplied },
    { name: 'already done is already_applied, or the same response again', run: alreadyDone },
    { name: 'too late is rejected_final, and once it is decided the probe says impossible', run: tooLate },
    { name: 'an unknown dispute is not_found', run: unknown },
    { name: 'a key that is too long is shortened, always the same way', run: longKey },
  ],
}

function accepting(bench: Bench, overrides: Parameters<Bench['connect']>[0] = {}) {
  const { accept } = bench.subject.definition.capabilities
  if (accept === false) skip('this PSP has no acceptance')
  const adapter = bench.connect(overrides) as Required<Adapter>
  return {
    stages: accept.stages,
    accept: (reference: string, idempotencyKey = `accept:${reference}`, sent = false) =>
      adapter.acceptDispute({ reference, idempotencyKey, sent }),
    probe: async (reference: string, own: { sent: boolean; taken?: boolean } = { sent: true }) =>
      adapter.probe({ kind: 'acceptance', reference, ...own }),
  }
}

async function open(bench: Bench, order: Record<string, unknown> = {}): Promise<string> {
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback', ...order })
  return reference
}

/** Idempotency keys of the received writes, in order. */
function keysOf(bench: Bench): (string | null)[] {
  const { path = '/' } = writesOf(bench.subject)
  return bench.running.engine.ledger.calls
    .filter((call) => call.method !== 'GET' && call.path.startsWith(path))
    .map((call) => call.idempotencyKey)
}

function writes(bench: Bench, kind: string, count = 1) {
  return { kind, count, match: writesOf(bench.subject) }
}

async function everyStage(bench: Bench) {
  const { stages, accept, probe } = accepting(bench)
  for (const stage of stages) {
    const reference = await open(bench, { stage })
    assert.equal((await probe(reference)).answer, 'not_done')
    const receipt = await accept(reference)
    must(['applied', 'pending'].includes(receipt.result), `the receipt says ${receipt.result}`)
    assert.equal((await probe(reference, TAKEN)).answer, 'done')
    assert.equal(bench.effects('acceptance', reference).length, 1)
  }
}

async function sameKey(bench: Bench) {
  const { accept } = accepting(bench)
  const reference = await open(bench)
  await bench.control('POST', '/faults', writes(bench, '500', 2))
  for (let attempt = 0; attempt < 2; attempt++) assert.equal((await refusal(accept(reference))).kind, 'outcome_unknown')
  await accept(reference)
  if (bench.subject.simulator.profile.idempotencyHeader === null) return
  const keys = keysOf(bench)
  assert.equal(keys.length, 3)
  must(keys[0], 'a write without a key')
  assert.equal(new Set(keys).size, 1)
}

const TAKEN = { sent: true, taken: true }

/** An acceptance that was applied, and whose response did not say so. */
async function applied(bench: Bench, kind: string, overrides: Parameters<Bench['connect']>[0] = {}) {
  const reference = await open(bench)
  await bench.control('POST', '/faults', writes(bench, kind))
  const { accept, probe } = accepting(bench, overrides)
  assert.equal((await refusal(accept(reference))).kind, 'outcome_unknown')
  const { answer, repeatable } = await probe(reference)
  must(answer === 'done' || (answer === 'unknown' && repeatable), `the probe says ${answer}`)
  return { reference, answer, probe, repeat: () => accept(reference, undefined, true) }
}

async function ambiguous(...given: Parameters<typeof applied>) {
  const [bench] = given
  const { reference, probe, repeat } = await applied(...given)
  const { result } = await repeat()
  must(['applied', 'already_applied'].includes(result), `the receipt says ${result}`)
  assert.equal((await probe(reference, TAKEN)).answer, 'done')
  assert.equal(bench.effects('acceptance', reference).length, 1)
}

/** Where only the PSP's stored response would tell, and that is a 500, it stays unknown. */
async function appliedWith500(bench: Bench) {
  const { reference, answer, probe, repeat } = await applied(bench, '500_after_apply')
  if (answer === 'done') must((await repeat()).result !== 'pending', 'the repeated call is pending')
  else {
    const { kind, replayed } = await refusal(repeat())
    assert.deepEqual([kind, replayed], ['outcome_unknown', true])
    assert.equal((await probe(reference)).answer, 'unknown')
  }
  assert.equal(bench.effects('acceptance', reference).length, 1)
}

function unanswered(bench: Bench) {
  return ambiguous(bench, 'timeout_after_apply', { fetch: impatient(400) })
}

function resetAfter(bench: Bench) {
  return ambiguous(bench, 'reset_after_apply')
}

async function notApplied(bench: Bench) {
  const reference = await open(bench)
  const { accept, probe } = accepting(bench)
  await bench.control('POST', '/faults', writes(bench, 'reset'))
  assert.equal((await refusal(accept(reference))).kind, 'outcome_unknown')
  assert.equal((await probe(reference)).answer, 'not_done')
  const { result } = await accept(reference)
  must(['applied', 'pending'].includes(result), `the second attempt says ${result}`)
  assert.equal(bench.effects('acceptance', reference).length, 1)
}

async function alreadyDone(bench: Bench) {
  const reference = await open(bench)
  const { accept, probe } = accepting(bench)
  await accept(reference, 'first')
  if ((await probe(reference)).repeatable) assert.equal((await accept(reference, 'first', true)).result, 'applied')
  else assert.equal((await accept(reference, 'second', true)).result, 'already_applied')
  assert.equal(bench.effects('acceptance', reference).length, 1)
}

async function tooLate(bench: Bench) {
  const { accept, probe } = accepting(bench)
  for (const status of ['won', 'under_review']) {
    const reference = await open(bench, { status })
    const error = await refusal(accept(reference))
    assert.equal(error.kind, 'rejected_final')
    must(error.message.length > 20, 'a merchant has to understand it')
    // "Under review" may be an acceptance that the PSP is processing.
    const { answer } = await probe(reference, { sent: false })
    must(answer === 'impossible' || (status !== 'won' && answer !== 'done'), `${status}: the probe says ${answer}`)
    assert.equal(bench.effects('acceptance', reference).length, 0)
  }
}

async function unknown(bench: Bench) {
  const reference = await open(bench)
  const { accept } = accepting(bench)
  const missing = `${reference.slice(0, -6)}zzzzzz`
  assert.equal((await refusal(accept(missing))).kind, 'not_found')
}

async function longKey(bench: Bench) {
  const { accept } = accepting(bench)
  const reference = await open(bench)
  const key = `accept:${'ü'.repeat(40)}:${'x'.repeat(400)}`
  await bench.control('POST', '/faults', writes(bench, '500'))
  await refusal(accept(reference, key))
  await accept(reference, key)
  const { idempotencyKeyLength } = bench.subject.definition.limits
  const keys = keysOf(bench)
  assert.equal(new Set(keys).size, 1)
  must((keys[0] ?? '').length <= idempotencyKeyLength, 'longer than the PSP takes')
}
