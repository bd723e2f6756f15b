import { expect, test } from 'vitest'
import { openBench } from '../../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import type { Adapter } from '../../../../adapters/contract.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const [first, second] = ['1'.repeat(64), '2'.repeat(64)] as const
const request = (reference: string, digest: string) => ({
  ...{ reference, digest, idempotencyKey: `submit:${digest}` },
  ...{ files: {}, texts: { product_description: `A book, ${digest.slice(0, 1)}` } },
})

test('an inquiry that was contested and then escalates is contested once more, with its own evidence', async () => {
  const subject = SUBJECTS.find(({ definition }) => definition.source === 'stripe')
  if (!subject) throw new Error('there is no simulated Stripe')
  await using bench = await openBench(subject)
  const adapter = bench.connect() as Required<Adapter>
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'inquiry' })
  await adapter.stageEvidence(request(reference, first))
  expect((await adapter.submitEvidence(request(reference, first))).result).toBe('applied')
  await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })

  // Like the engine: the plan records the number of submissions before it.
  const { answerable, submissions = 0 } = await adapter.describeEvidence(reference)
  expect([answerable, submissions]).toEqual([true, 1])
  const probe = async () =>
    (await adapter.probe({ kind: 'submission', reference, digest: second, submissionsBefore: submissions, sent: true }))
      .answer
  expect((await adapter.stageEvidence(request(reference, second))).result).toBe('applied')
  expect(await probe()).toBe('not_done')
  expect((await adapter.submitEvidence(request(reference, second))).result).toBe('applied')
  expect(await probe()).toBe('done')
  expect((await adapter.submitEvidence({ ...request(reference, second), sent: true })).result).toBe('already_applied')
  expect(bench.effects('submission', reference)).toHaveLength(2)
})

test.each([0, 1])(
  'evidence after an escalation is sent if Stripe restarts the count and if it continues: %i before',
  async (counted) => {
    const shown = (status: string, submission_count: number) =>
      sampleDispute({
        status,
        metadata: { recoup_evidence: second },
        evidence_details: {
          due_by: Math.floor(Date.now() / 1000) + 86_400,
          submission_count,
          submission_method: 'manual',
        },
      })
    await using server = await startLoopback(({ method }, response) =>
      sendJson(response, 200, method === 'GET' ? shown('needs_response', counted) : shown('under_review', counted + 1)),
    )
    expect((await connectStripe(server.url).submitEvidence(request('dp_sample1', second))).result).toBe('applied')
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
  },
)
