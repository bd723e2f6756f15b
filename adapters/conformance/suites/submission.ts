import assert from 'node:assert/strict'
import { matches } from '../../../simulators/engine/match.ts'
import type { EvidencePacket } from '../../contract.ts'
import { type Bench, refusal, submitsOf } from '../bench.ts'
import { must, type Suite, skip } from '../check.ts'
import { contesting, PDF, packetFor, prepare, sha256 } from '../evidence.ts'

/** Evidence is sent completely and once. */
export const submissionSuite: Suite = {
  name: 'submission',
  checks: [
    { name: 'describe tells what an open dispute takes', run: describeOpen },
    { name: 'describe refuses what can not be answered, with a reason', run: describeClosed },
    { name: 'the plan is the same for the same packet, and complete', run: plan },
    { name: 'bytes at the PSP are the bytes uploaded', run: upload },
    { name: 'staging submits nothing', run: staging },
    { name: 'submitted once, and the probe says done', run: once },
    { name: 'its requests carry the key, the same on every attempt', run: sameKey },
    { name: 'applied but unanswered: the probe says done, nothing goes out twice', run: ambiguous },
    { name: 'staged only: the probe says not_done', run: stagedOnly },
    { name: 'other evidence went out: rejected_final, the probe says impossible', run: other },
    { name: 'too late is rejected_final', run: tooLate },
    { name: 'an appeal takes its own evidence', run: appeal },
    { name: 'a file of a type the PSP refuses, or of none, is not sent', run: wrongType },
  ],
}

async function describeOpen(bench: Bench) {
  const { requirements } = await contesting(bench)
  assert.deepEqual([requirements.answerable, requirements.reason], [true, null])
  must(requirements.dueDate !== null && Date.parse(requirements.dueDate) > bench.now().getTime(), 'no due date ahead')
  must(requirements.fileTypes.length > 0 && requirements.fileFields.length > 0, 'takes no file')
}

async function describeClosed(bench: Bench) {
  for (const order of [{ status: 'won' }, { status: 'under_review' }, { dueInHours: null }, { dueInHours: -1 }]) {
    const { requirements } = await contesting(bench, order)
    assert.equal(requirements.answerable, false, JSON.stringify(order))
    must((requirements.reason ?? '').length > 10, 'refused without a reason')
  }
}

async function plan(bench: Bench) {
  const { requirements, planOf } = await contesting(bench)
  const base = packetFor(requirements)
  const [field = '', limit = 0] = Object.entries(requirements.textFields)[0] ?? []
  const takesText = field !== ''
  const file = base.files[0] as (typeof base.files)[0]
  const packet: EvidencePacket = {
    files: [
      ...Array.from({ length: requirements.maxFiles + 2 }, (_, index) => ({ ...file, fileId: `file-${index}` })),
      { ...file, fileId: 'wrong-type', type: 'application/zip' },
      { ...file, fileId: 'too-large', bytes: requirements.maxFileBytes + 1 },
      { ...file, fileId: 'placed', field: requirements.fileFields[0] as string },
    ],
    texts: { ...(takesText && { [field]: 'x'.repeat(limit + 10) }), no_such_text: 'y' },
  }
  const planned = planOf(packet)
  assert.deepEqual(planned, planOf(structuredClone(packet)))
  const sent = planned.steps.flatMap((step) => (step.do === 'upload' ? [step.fileId] : []))
  for (const { fileId } of packet.files) {
    must(sent.includes(fileId) !== planned.dropped.some((drop) => drop.what === fileId), `${fileId} disappeared`)
  }
  must(sent.includes('placed') && !sent.includes('wrong-type') && !sent.includes('too-large'), `it sends ${sent}`)
  const places = planned.steps.flatMap((step) => (step.do === 'upload' ? [step.field] : []))
  assert.equal(new Set(places).size, places.length, 'two files in one place')
  assert.deepEqual(planned.shortened, takesText ? [{ field, from: limit + 10, to: limit }] : [])
  must(
    planned.dropped.some((drop) => drop.what === 'no_such_text'),
    'a text disappeared',
  )
  const [altered] = packet.files.slice(-1).map((placed) => ({ ...placed, sha256: sha256(Buffer.from('other')) }))
  const other = takesText
    ? { texts: { [field]: 'other' } }
    : { files: altered ? [altered, ...packet.files.slice(0, -1)] : [] }
  assert.notEqual(planOf({ ...packet, ...other }).digest, planned.digest)
}

async function upload(bench: Bench) {
  const { reference, adapter, requirements, planOf } = await contesting(bench)
  const request = await prepare(adapter, reference, planOf(packetFor(requirements)))
  if (!adapter.uploadFile) await (adapter.stageEvidence ?? adapter.submitEvidence)(request)
  const stored = bench.running.engine.account(bench.account).files.all()
  assert.deepEqual(
    stored.map((file) => sha256(file.content)),
    [sha256(PDF)],
  )
  assert.equal(bench.effects('upload').length, 1)
}

async function staging(bench: Bench) {
  const { reference, adapter, requirements, planOf, staged } = await contesting(bench)
  if (!staged) skip('nothing can be staged at this PSP')
  const request = await prepare(adapter, reference, planOf(packetFor(requirements)))
  for (const result of ['applied', 'already_applied'])
    assert.equal((await adapter.stageEvidence(request)).result, result)
  assert.equal(bench.effects('submission').length, 0)
}

/** An open dispute whose evidence is planned, uploaded and staged; only `submitEvidence` is left. */
export async function submitted(bench: Bench, order: Record<string, unknown> = {}) {
  const context = await contesting(bench, order)
  const { reference, adapter, requirements, planOf, staged } = context
  const request = await prepare(adapter, reference, planOf(packetFor(requirements)))
  if (staged) await adapter.stageEvidence(request)
  const probe = async (digest = request.digest, sent = true) =>
    (await adapter.probe({ kind: 'submission', reference, digest, submissionsBefore: 0, sent })).answer
  return { ...context, request, probe }
}

async function once(bench: Bench) {
  const { reference, adapter, request, probe } = await submitted(bench)
  const { result } = await adapter.submitEvidence(request)
  must(['applied', 'pending'].includes(result), `the receipt says ${result}`)
  assert.equal(await probe(), 'done')
  assert.equal(
    (await adapter.submitEvidence({ ...request, idempotencyKey: 'another', sent: true })).result,
    'already_applied',
  )
  assert.equal(bench.effects('submission', reference).length, 1)
}

async function sameKey(bench: Bench) {
  const { reference, adapter, request } = await submitted(bench)
  const { calls } = bench.running.engine.ledger
  const before = calls.length
  await bench.control('POST', '/faults', { kind: '500', count: 2, match: submitsOf(bench.subject) })
  for (let attempt = 0; attempt < 2; attempt++)
    assert.equal((await refusal(adapter.submitEvidence(request))).kind, 'outcome_unknown')
  await adapter.submitEvidence(request)
  assert.equal(bench.effects('submission', reference).length, 1)
  if (bench.subject.simulator.profile.idempotencyHeader === null) return
  const writes = calls.slice(before).filter((call) => matches(submitsOf(bench.subject), call.method, call.path))
  const [key, ...others] = writes.map((call) => call.idempotencyKey)
  must(key && others.slice(0, 2).every((other) => other === key), 'a write without a key, or with another one')
}

async function ambiguous(bench: Bench) {
  for (const kind of ['reset_after_apply', '500_after_apply']) {
    const { reference, adapter, request, probe } = await submitted(bench)
    await bench.control('POST', '/faults', { kind, count: 1, match: submitsOf(bench.subject) })
    assert.equal((await refusal(adapter.submitEvidence(request))).kind, 'outcome_unknown')
    assert.equal(await probe(), 'done')
    assert.equal((await adapter.submitEvidence({ ...request, sent: true })).result, 'already_applied')
    assert.equal(bench.effects('submission', reference).length, 1)
  }
}

async function stagedOnly(bench: Bench) {
  const { adapter, request, probe, staged } = await submitted(bench)
  if (!staged) skip('nothing can be staged at this PSP')
  await bench.control('POST', '/faults', { kind: 'reset', count: 1, match: submitsOf(bench.subject) })
  assert.equal((await refusal(adapter.submitEvidence(request))).kind, 'outcome_unknown')
  assert.equal(await probe(), 'not_done')
}

async function other(bench: Bench) {
  const { reference, adapter, request, probe } = await submitted(bench)
  await adapter.submitEvidence(request)
  const different = { ...request, digest: 'f'.repeat(64), idempotencyKey: 'different' }
  assert.equal((await refusal(adapter.submitEvidence(different))).kind, 'rejected_final')
  // The call was definitely refused, so nothing was sent.
  assert.equal(await probe(different.digest, false), 'impossible')
  assert.equal(bench.effects('submission', reference).length, 1)
}

async function tooLate(bench: Bench) {
  const { reference, adapter, request } = await submitted(bench)
  await bench.control('POST', '/clock', { seconds: 49 * 3600 })
  assert.equal((await refusal(adapter.submitEvidence(request))).kind, 'rejected_final')
  assert.equal(bench.effects('submission', reference).length, 0)
}

async function appeal(bench: Bench) {
  const { contest } = bench.subject.definition.capabilities
  if (contest === false || !contest.stages.includes('second_chargeback'))
    skip('this PSP takes no evidence in a second round')
  const { reference, adapter, request, requirements } = await submitted(bench, { stage: 'second_chargeback' })
  assert.equal(requirements.answerable, true)
  await adapter.submitEvidence(request)
  assert.equal(bench.effects('submission', reference).length, 1)
}

async function wrongType(bench: Bench) {
  const { reference, adapter, requirements } = await contesting(bench)
  const zip = { reference, idempotencyKey: 'zip', digest: 'z'.repeat(64), files: {}, texts: {} }
  const [field = ''] = requirements.fileFields
  for (const type of ['application/zip', '']) {
    const file = { name: 'virus.zip', type, data: PDF }
    const error = await refusal(
      adapter.uploadFile
        ? adapter.uploadFile({ reference, file, idempotencyKey: 'zip' })
        : (adapter.stageEvidence ?? adapter.submitEvidence)({ ...zip, documents: { [field]: file } }),
    )
    assert.equal(error.kind, 'invalid_request')
  }
  assert.equal(bench.effects('upload').length, 0)
}
