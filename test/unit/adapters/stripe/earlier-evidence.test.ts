import { expect, test } from 'vitest'
import { openBench } from '../../../../adapters/conformance/bench.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import type { Adapter } from '../../../../adapters/contract.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const [failed, next] = ['1'.repeat(64), '2'.repeat(64)] as const

test('evidence that a failed submission has staged is not sent with the next one', async () => {
  const subject = SUBJECTS.find(({ definition }) => definition.source === 'stripe')
  if (!subject) throw new Error('there is no simulated Stripe')
  await using bench = await openBench(subject)
  const adapter = bench.connect() as Required<Adapter>
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
  const upload = async (name: string) =>
    (
      await adapter.uploadFile({
        ...{ reference, idempotencyKey: name },
        file: { name: `${name}.pdf`, type: 'application/pdf', data: Buffer.from('%PDF-1.4') },
      })
    ).fileReference
  const [wrong, right] = [await upload('wrong'), await upload('right')]
  const before = bench.objectOf(reference).evidence as Record<string, unknown>
  const wrongTexts = { product_description: 'The wrong book', service_date: '2026-01-01' }
  await adapter.stageEvidence({
    ...{ reference, digest: failed, idempotencyKey: 'a' },
    ...{ files: { receipt: wrong }, texts: wrongTexts },
  })
  const request = {
    ...{ reference, digest: next, idempotencyKey: 'b' },
    ...{ files: { uncategorized_file: right }, texts: { product_description: 'A book' } },
  }
  await adapter.stageEvidence(request)
  expect((await adapter.submitEvidence(request)).result).toBe('applied')
  const after = bench.objectOf(reference).evidence as Record<string, unknown>
  expect(after).toMatchObject({ receipt: null, service_date: null, uncategorized_file: right })
  expect(after.product_description).toBe('A book')
  // Stripe may have filled these in.
  for (const field of ['customer_email_address', 'customer_name', 'customer_purchase_ip', 'billing_address'])
    expect(after[field]).toEqual(before[field])
})

test('if Stripe refuses to clear fields, the evidence is staged without that under another key', async () => {
  const due_by = Math.floor(Date.now() / 1000) + 86_400
  const dispute = (digest: string) =>
    sampleDispute({
      metadata: { recoup_evidence: digest },
      evidence_details: { ...(sampleDispute().evidence_details as object), due_by },
    })
  await using server = await startLoopback(({ method, body }, response) => {
    if (method === 'GET') return sendJson(response, 200, dispute(failed))
    const clears = [...new URLSearchParams(body).values()].includes('')
    return clears
      ? sendJson(response, 400, { error: { type: 'invalid_request_error' } })
      : sendJson(response, 200, dispute(next))
  })
  const request = {
    reference: 'dp_sample1',
    digest: next,
    idempotencyKey: 'k',
    files: {},
    texts: { customer_name: 'J' },
  }
  expect((await connectStripe(server.url).stageEvidence(request)).result).toBe('applied')
  const keys = server.seen.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
  expect(keys).toEqual(['stage:k', 'stage-2:k'])
})
