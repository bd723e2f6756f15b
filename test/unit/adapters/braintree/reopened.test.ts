import { describe, expect, test } from 'vitest'
import { type Simulated, simulated } from './connect.ts'

const PDF = Buffer.from('%PDF-1.4\n')
const DAY = 86_400

async function pass(braintree: Simulated, seconds: number) {
  await braintree.control('POST', '/clock', { seconds })
}

/** A packet whose document is attached to an open dispute, which is opened again before it is finalized. */
async function attachedAndOpenedAgain(braintree: Simulated, wait: number) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
  const digest = 'd'.repeat(64)
  const file = { name: 'proof.pdf', type: 'application/pdf', data: PDF }
  const uploaded = await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k', digest })
  const packet = { reference, idempotencyKey: 'k', digest, files: { GENERAL: uploaded.fileReference }, texts: {} }
  await braintree.adapter.stageEvidence(packet)
  await pass(braintree, wait)
  await braintree.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })
  await pass(braintree, wait)
  return packet
}

const answer = async (braintree: Simulated, { reference, digest }: { reference: string; digest: string }) =>
  (
    await braintree.adapter.probe({
      ...{ kind: 'submission', reference, digest, submissionsBefore: 0, sent: true, texts: {} },
    })
  ).answer

describe('a document that was attached before the dispute was opened again', () => {
  test.each([60, 3 * DAY])('is ours when it is sent afterwards (%i s between)', async (wait) => {
    await using braintree = await simulated()
    const packet = await attachedAndOpenedAgain(braintree, wait)
    expect((await braintree.adapter.submitEvidence(packet)).result).toBe('applied')
    expect(await answer(braintree, packet)).toBe('done')
  })

  test.each([60, 3 * DAY])('proves nothing about the next opening once it was sent (%i s between)', async (wait) => {
    await using braintree = await simulated()
    const packet = await attachedAndOpenedAgain(braintree, wait)
    await braintree.adapter.submitEvidence(packet)
    await pass(braintree, wait)
    for (const outcome of ['lost', 'reopened', 'lost'])
      await braintree.control('POST', `/disputes/${packet.reference}/decide`, { outcome })
    expect(await answer(braintree, packet)).toBe('impossible')
  })
})
