import assert from 'node:assert/strict'
import type { Adapter } from '../../contract.ts'
import type { Bench } from '../bench.ts'
import { must, type Suite, skip } from '../check.ts'
import { submitted } from './submission.ts'

/** Neither an accepted call nor a movement of money is an outcome. */
export const honestySuite: Suite = {
  name: 'honesty',
  checks: [
    { name: 'a receipt of an acceptance says nothing about the outcome', run: receipt },
    { name: 'a submission does not make a dispute won', run: notWon },
    { name: 'money that came back does not make a lost dispute won', run: funds },
    { name: 'money that came back does not decide an open dispute', run: openFunds },
  ],
}

function statusOf(bench: Bench, object: unknown): string {
  const translation = bench.subject.definition.toChargeback({ reference: null, text: JSON.stringify(object) })
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.facts.pspStatus
}

async function receipt(bench: Bench) {
  if (bench.subject.definition.capabilities.accept === false) skip('this PSP has no acceptance')
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
  const adapter = bench.connect() as Required<Adapter>
  const answer = await adapter.acceptDispute({ reference, idempotencyKey: 'k' })
  assert.deepEqual(Object.keys(answer).sort(), ['requestId', 'result'])
  must(['applied', 'pending', 'already_applied'].includes(answer.result), `the receipt says ${answer.result}`)
}

async function notWon(bench: Bench) {
  const { adapter, reference, request } = await submitted(bench)
  await adapter.submitEvidence(request)
  const raw = await adapter.fetchDispute(reference)
  assert.equal(statusOf(bench, JSON.parse(raw.text)), 'under_review')
}

async function funds(bench: Bench) {
  const [reference = ''] = await bench.create({ count: 1, status: 'lost', stage: 'second_chargeback' })
  const object = bench.objectOf(reference)
  bench.subject.returnFunds(object)
  assert.equal(statusOf(bench, object), 'lost')
}

async function openFunds(bench: Bench) {
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
  const object = bench.objectOf(reference)
  bench.subject.returnFunds(object)
  assert.equal(statusOf(bench, object), 'needs_response')
}
