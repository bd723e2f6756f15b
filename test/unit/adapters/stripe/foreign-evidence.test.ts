import { expect, test } from 'vitest'
import { type Bench, openBench } from '../../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import type { Adapter } from '../../../../adapters/contract.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import type { JsonObject } from '../../../../simulators/engine/contract.ts'

const digest = '1'.repeat(64)
const texts = { product_description: 'A book' }

async function openDispute(order: Record<string, unknown> = {}) {
  const subject = SUBJECTS.find(({ definition }) => definition.source === 'stripe')
  if (!subject) throw new Error('there is no simulated Stripe')
  const bench = await openBench(subject)
  const adapter = bench.connect() as Required<Adapter>
  const [reference = ''] = await bench.create({
    status: 'needs_response',
    stage: 'chargeback',
    dueInHours: 48,
    ...order,
  })
  return { bench, adapter, reference, request: { reference, digest, idempotencyKey: 'k', files: {}, texts } }
}

/** Like a person in Stripe's dashboard: fills fields and saves, without submitting. */
async function stageInDashboard(bench: Bench, reference: string, evidence: JsonObject) {
  const before = bench.objectOf(reference)
  await bench.control('PATCH', `/disputes/${reference}`, {
    fields: {
      evidence: { ...(before.evidence as JsonObject), ...evidence },
      evidence_details: { ...(before.evidence_details as JsonObject), has_evidence: true },
    },
  })
}

test('evidence that a person staged in the dashboard is never sent with ours', async () => {
  const { bench, adapter, reference, request } = await openDispute()
  await using _ = bench
  await stageInDashboard(bench, reference, { receipt: 'file_theirs' })
  const refused = { kind: 'rejected_final', message: expect.stringContaining('Somebody else has put evidence') }
  await expect(adapter.stageEvidence(request)).rejects.toMatchObject(refused)
  await expect(adapter.submitEvidence(request)).rejects.toMatchObject(refused)
  expect(bench.effects('submission', reference)).toEqual([])
})

test('evidence that a person adds after ours was staged is never sent', async () => {
  const { bench, adapter, reference, request } = await openDispute()
  await using _ = bench
  await adapter.stageEvidence(request)
  await stageInDashboard(bench, reference, { receipt: 'file_theirs' })
  await expect(adapter.submitEvidence(request)).rejects.toMatchObject({ kind: 'rejected_final' })
  expect(bench.effects('submission', reference)).toEqual([])
})

test('two services that stage in turn each send only their own evidence, or nothing', async () => {
  const { bench, adapter, reference, request } = await openDispute()
  await using _ = bench
  const theirs = { ...request, digest: '2'.repeat(64), idempotencyKey: 'theirs', texts: { service_date: '2026-01-01' } }
  await adapter.stageEvidence(request)
  await adapter.stageEvidence(theirs)
  await expect(adapter.submitEvidence(request)).rejects.toMatchObject({ kind: 'rejected_final' })
  expect((await adapter.submitEvidence(theirs)).result).toBe('applied')
  expect(bench.objectOf(reference).evidence).toMatchObject({ product_description: null, service_date: '2026-01-01' })
  const question = { kind: 'submission', reference, digest, submissionsBefore: 0 } as const
  for (const sent of [true, false]) expect((await adapter.probe({ ...question, sent })).answer).toBe('impossible')
})

test('customer data that Stripe filled in does not count as foreign evidence', async () => {
  const { bench, adapter, reference, request } = await openDispute()
  await using _ = bench
  expect((bench.objectOf(reference).evidence as JsonObject).customer_name).toBeTruthy()
  await adapter.stageEvidence(request)
  expect((await adapter.submitEvidence(request)).result).toBe('applied')
})

test('a compliance dispute can be accepted and contested', async () => {
  const { bench, adapter, reference, request } = await openDispute({ stage: 'other' })
  await using _ = bench
  expect((await adapter.describeEvidence(reference)).answerable).toBe(true)
  await adapter.stageEvidence(request)
  expect((await adapter.submitEvidence(request)).result).toBe('applied')
  const [other = ''] = await bench.create({ status: 'needs_response', stage: 'other', dueInHours: 48 })
  expect((await adapter.acceptDispute({ reference: other, idempotencyKey: 'k2' })).result).toBe('applied')
})

test('if Stripe requires an acknowledgement of the network’s fee, the error says to do it at Stripe', async () => {
  const { bench, request } = await openDispute({ stage: 'other' })
  await using _ = bench
  const refusing: PspFetch = (input, init) =>
    init?.method === 'POST'
      ? Promise.resolve(Response.json({ error: { type: 'invalid_request_error' } }, { status: 400 }))
      : pspFetch(input, init)
  const adapter = bench.connect({ fetch: refusing }) as Required<Adapter>
  for (const write of [adapter.stageEvidence, adapter.submitEvidence])
    await expect(write(request)).rejects.toMatchObject({
      kind: 'rejected_final',
      message: expect.stringContaining('Acknowledge it at Stripe'),
    })
})
