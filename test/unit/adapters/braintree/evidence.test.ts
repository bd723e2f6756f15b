import { describe, expect, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'

const PDF = Buffer.from('%PDF-1.4\n')
const DIGEST = 'd'.repeat(64)

async function open(braintree: Simulated, order: object = {}) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', ...order })
  return reference
}

async function uploaded(braintree: Simulated, reference: string, name = 'proof.PDF') {
  const file = { name, type: 'application/pdf', data: PDF }
  return (await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k', digest: DIGEST })).fileReference
}

async function evidenceOf(braintree: Simulated, reference: string): Promise<Anything[]> {
  return JSON.parse((await braintree.adapter.fetchDispute(reference)).text).evidence
}

const historyOf = (...statuses: string[]) => statuses.map((status) => ({ status, effectiveDate: '2026-03-14' }))

/** A packet with its document uploaded. */
async function packet(braintree: Simulated, reference: string, changes: object = {}) {
  const texts = { GENERAL: 'It was delivered.' }
  const files = { GENERAL: await uploaded(braintree, reference) }
  return { reference, idempotencyKey: 'k', digest: DIGEST, files, texts, ...changes }
}

describe('staging', () => {
  test('attaches only documents and texts by category, documents first', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const files = { PROOF_OF_DELIVERY: await uploaded(braintree, reference) }
    await braintree.adapter.stageEvidence(
      await packet(braintree, reference, { files, texts: { PURCHASER_NAME: 'Ada' } }),
    )
    const entries = await evidenceOf(braintree, reference)
    expect(entries.map(({ category, comment }) => [category, comment])).toEqual([
      ['PROOF_OF_DELIVERY', null],
      ['PURCHASER_NAME', 'Ada'],
    ])
    expect(entries[0].url).toMatch(/\/proof-[0-9a-f]{16}\.pdf$/)
  })

  test('attaches everything once after an attempt that was cut off', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const staged = await packet(braintree, reference)
    const evidence = { method: 'POST', path: '/evidence' }
    for (const [kind, skipped] of [
      ['reset_after_apply', 0],
      ['500_after_apply', 0],
    ] as const) {
      let calls = 0
      const counting: PspFetch = async (input, init) => {
        if (input.endsWith('/evidence') && calls++ === skipped) {
          await braintree.control('POST', '/faults', { kind, count: 1, match: evidence })
        }
        return pspFetch(input, init)
      }
      expect((await refusal(braintree.connect({ fetch: counting }).stageEvidence(staged))).kind).toBe('outcome_unknown')
    }
    expect((await braintree.adapter.stageEvidence(staged)).result).toBe('already_applied')
    const attached = await evidenceOf(braintree, reference)
    expect(attached.map(({ comment }) => comment)).toEqual([null, 'It was delivered.'])
  })

  test('replaces a category that Braintree refuses with GENERAL, and finds the entry again there', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const texts = { PROOF_OF_DELIVERY: 'a text under a document' }
    const files = { TRACKING_NUMBER: await uploaded(braintree, reference) }
    const refused = await packet(braintree, reference, { texts, files })
    await braintree.adapter.stageEvidence(refused)
    const [document, text] = await evidenceOf(braintree, reference)
    expect(document).toMatchObject({ category: 'GENERAL', comment: null })
    expect(text).toMatchObject({ category: 'GENERAL', comment: 'PROOF_OF_DELIVERY: a text under a document' })
    expect((await braintree.adapter.stageEvidence(refused)).result).toBe('already_applied')
  })

  test('requires another upload if Braintree no longer has the document (95703)', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const forgotten = await packet(braintree, reference, { files: { GENERAL: 'gone' } })
    const error = await refusal(braintree.adapter.stageEvidence(forgotten))
    expect([error.kind, error.message]).toEqual(['invalid_request', expect.stringContaining('Upload it again')])
  })

  test('is rejected_final if the dispute is closed meanwhile (95701)', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const closing: PspFetch = async (input, init) => {
      if (init?.method === 'POST')
        await pspFetch(input.replace('/evidence', '/accept'), { ...init, method: 'PUT', body: '' })
      return pspFetch(input, init)
    }
    const staged = await packet(braintree, reference)
    const error = await refusal(braintree.connect({ fetch: closing }).stageEvidence(staged))
    expect(error.kind).toBe('rejected_final')
  })
})

describe('finalizing', () => {
  test.each(['dispute', 'space', 'empty'] as const)('works if the response of Braintree is: %s', async (answers) => {
    await using braintree = await simulated({ answers })
    const reference = await open(braintree)
    const staged = await packet(braintree, reference)
    await braintree.adapter.stageEvidence(staged)
    expect((await braintree.adapter.submitEvidence(staged)).result).toBe('applied')
    expect(JSON.parse((await braintree.adapter.fetchDispute(reference)).text).status).toBe('disputed')
  })

  test('reads right before and right after the call', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.adapter.submitEvidence(await packet(braintree, reference))
    const path = `disputes/${reference}`
    expect(braintree.calls().slice(-3)).toEqual([`GET ${path}`, `PUT ${path}/finalize`, `GET ${path}`])
  })

  test('is outcome_unknown after a 200 that is not Braintree’s if the dispute is still open', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const staged = await packet(braintree, reference)
    await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'PUT' } })
    expect((await refusal(braintree.adapter.submitEvidence(staged))).kind).toBe('outcome_unknown')
    expect((await braintree.adapter.submitEvidence(staged)).result).toBe('applied')
  })

  test('is refused without a document, although the sandbox would accept it', async () => {
    await using braintree = await simulated({ evidenceRequired: false })
    const reference = await open(braintree)
    for (const changes of [{ files: {}, texts: {} }, { files: {} }]) {
      const texts = await packet(braintree, reference, changes)
      expect((await refusal(braintree.adapter.submitEvidence(texts))).message).toContain('Add a document')
      expect((await refusal(braintree.adapter.stageEvidence(texts))).kind).toBe('invalid_request')
    }
    expect(braintree.calls().filter((call) => call.startsWith('PUT'))).toEqual([])
  })

  test('reports an incomplete group (95721, 95723)', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const device = await packet(braintree, reference, { texts: { DEVICE_ID: 'x' } })
    expect((await refusal(braintree.adapter.submitEvidence(device))).message).toContain('date of the download')
    const prior = await packet(braintree, reference, {
      texts: { PRIOR_NON_DISPUTED_TRANSACTION_ARN: '1'.repeat(23) },
    })
    expect((await refusal(braintree.adapter.submitEvidence(prior))).message).toContain('date and time')
  })

  test('is outcome_unknown, never refused, if the dispute then shows a review without a finalization', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const staged = await packet(braintree, reference)
    await braintree.adapter.stageEvidence(staged)
    const evidence = await evidenceOf(braintree, reference)
    const fields = { status: 'under_review', statusHistory: historyOf('open', 'under_review'), evidence }
    const finalizing: PspFetch = async (input, init) => {
      const response = await pspFetch(input, init)
      if (init?.method === 'PUT') await braintree.control('PATCH', `/disputes/${reference}`, { fields })
      return response
    }
    const adapter = braintree.connect({ fetch: finalizing })
    expect((await refusal(adapter.submitEvidence(staged))).kind).toBe('outcome_unknown')
    const question = { kind: 'submission', reference, digest: DIGEST, submissionsBefore: 0, sent: true } as const
    expect((await adapter.probe(question)).answer).toBe('unknown')
    expect((await refusal(adapter.submitEvidence(staged))).kind).toBe('outcome_unknown')
    expect(braintree.calls().filter((call) => call.startsWith('PUT'))).toHaveLength(1)
  })

  test('is rejected_final if the dispute was finalized in the console with other evidence', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'disputed', stage: 'chargeback' })
    const staged = await packet(braintree, reference)
    expect((await refusal(braintree.adapter.submitEvidence(staged))).kind).toBe('rejected_final')
  })

  test('works again with new evidence after the dispute was reopened', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.adapter.submitEvidence(await packet(braintree, reference))
    await braintree.control('POST', '/clock', { seconds: 60 })
    for (const outcome of ['lost', 'reopened'])
      await braintree.control('POST', `/disputes/${reference}/decide`, { outcome })
    await braintree.control('POST', '/clock', { seconds: 60 })
    const digest = 'e'.repeat(64)
    const { fileReference } = await braintree.adapter.uploadFile({
      ...{ reference, idempotencyKey: 'k', digest },
      file: { name: 'second.pdf', type: 'application/pdf', data: PDF },
    })
    const second = { ...(await packet(braintree, reference)), digest, files: { GENERAL: fileReference }, texts: {} }
    const question = { kind: 'submission', reference, submissionsBefore: 0, sent: true, texts: {} } as const
    expect((await braintree.adapter.probe({ ...question, digest })).answer).toBe('not_done')
    expect((await braintree.adapter.submitEvidence(second)).result).toBe('applied')
    expect((await braintree.adapter.probe({ ...question, digest })).answer).toBe('done')
  })
})
