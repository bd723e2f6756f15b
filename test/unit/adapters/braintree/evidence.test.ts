import { describe, expect, test } from 'vitest'
import { openingText } from '../../../../adapters/braintree/marks.ts'
import { submissionVerdict } from '../../../../adapters/braintree/probe.ts'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'

const PDF = Buffer.from('%PDF-1.4\n')
const DIGEST = 'd'.repeat(64)

async function open(braintree: Simulated, order: object = {}) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', ...order })
  return reference
}

async function uploaded(braintree: Simulated, reference: string, name = 'proof.PDF') {
  const file = { name, type: 'application/pdf', data: PDF }
  return (await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k' })).fileReference
}

async function evidenceOf(braintree: Simulated, reference: string): Promise<Anything[]> {
  return JSON.parse((await braintree.adapter.fetchDispute(reference)).text).evidence
}

const historyOf = (...statuses: string[]) => statuses.map((status) => ({ status, effectiveDate: '2026-03-14' }))

function request(reference: string, changes: object = {}) {
  const texts = { GENERAL: 'It was delivered.' }
  return { reference, idempotencyKey: 'k', digest: DIGEST, files: {}, texts, ...changes }
}

describe('staging', () => {
  test('attaches documents and texts by category, and a mark with the digest and its entries last', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const files = { PROOF_OF_DELIVERY: await uploaded(braintree, reference) }
    await braintree.adapter.stageEvidence(request(reference, { files, texts: { PURCHASER_NAME: 'Ada' } }))
    const [document, text, mark] = await evidenceOf(braintree, reference)
    expect([document.category, text.category, mark.category]).toEqual([
      'PROOF_OF_DELIVERY',
      'PURCHASER_NAME',
      'GENERAL',
    ])
    expect(document.url).toMatch(/\/recoup-[0-9a-f]{12}-proof\.pdf$/)
    expect(mark.comment).toBe(`Evidence package ${DIGEST} (${document.id} ${text.id})`)
  })

  test('after a cut-off attempt everything is there once', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const files = { GENERAL: await uploaded(braintree, reference) }
    const staged = request(reference, { files })
    const evidence = { method: 'POST', path: '/evidence' }
    for (const [kind, skipped] of [
      ['reset_after_apply', 0],
      ['500_after_apply', 1],
      ['reset', 1],
    ] as const) {
      let calls = 0
      const counting: typeof fetch = async (input, init) => {
        if (String(input).endsWith('/evidence') && calls++ === skipped) {
          await braintree.control('POST', '/faults', { kind, count: 1, match: evidence })
        }
        return fetch(input, init)
      }
      expect((await refusal(braintree.connect({ fetch: counting }).stageEvidence(staged))).kind).toBe('outcome_unknown')
    }
    expect((await braintree.adapter.stageEvidence(staged)).result).toBe('applied')
    const there = await evidenceOf(braintree, reference)
    expect(there.map(({ category, comment }) => [category, comment?.slice(0, 16) ?? 'document'])).toEqual([
      ['GENERAL', 'document'],
      ['GENERAL', 'It was delivered'],
      ['GENERAL', 'Evidence package'],
    ])
  })

  test('another packet of ours takes the place of the first; what the merchant put there stays', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const own = { id: 'merchantsown', category: 'GENERAL', comment: 'By hand.', url: null, sentToProcessorAt: null }
    await braintree.control('PATCH', `/disputes/${reference}`, { fields: { evidence: [own] } })
    await braintree.adapter.stageEvidence(request(reference, { texts: { PURCHASER_NAME: 'Ada' } }))
    const second = { digest: 'e'.repeat(64), texts: { PURCHASER_NAME: 'Bela' } }
    await braintree.adapter.stageEvidence(request(reference, second))
    const comments = (await evidenceOf(braintree, reference)).map(({ comment }) => comment.slice(0, 20))
    expect(comments).toEqual(['By hand.', 'Bela', 'Evidence package eee'])
  })

  test('a category that Braintree refuses is exchanged for GENERAL', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.adapter.stageEvidence(
      request(reference, { texts: { PROOF_OF_DELIVERY: 'a text under a document' } }),
    )
    const [text] = await evidenceOf(braintree, reference)
    expect(text).toMatchObject({ category: 'GENERAL', comment: 'PROOF_OF_DELIVERY: a text under a document' })
  })

  test('a document that Braintree forgot has to be uploaded again', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const error = await refusal(braintree.adapter.stageEvidence(request(reference, { files: { GENERAL: 'gone' } })))
    expect([error.kind, error.message]).toEqual(['invalid_request', expect.stringContaining('Upload it again')])
  })

  test('closed while we were at it (95701): rejected_final', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const closing: typeof fetch = async (input, init) => {
      if (init?.method === 'POST')
        await fetch(`${String(input).replace('/evidence', '/accept')}`, { ...init, method: 'PUT', body: null })
      return fetch(input, init)
    }
    const error = await refusal(braintree.connect({ fetch: closing }).stageEvidence(request(reference)))
    expect(error.kind).toBe('rejected_final')
  })
})

describe('finalizing', () => {
  test.each(['dispute', 'space', 'empty'] as const)('works though Braintree answers %s', async (answers) => {
    await using braintree = await simulated({ answers })
    const reference = await open(braintree)
    await braintree.adapter.stageEvidence(request(reference))
    expect((await braintree.adapter.submitEvidence(request(reference))).result).toBe('applied')
    expect(JSON.parse((await braintree.adapter.fetchDispute(reference)).text).status).toBe('disputed')
  })

  test('a 200 of somebody else, and the dispute is still open: nobody knows, and it may be sent again', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'PUT' } })
    expect((await refusal(braintree.adapter.submitEvidence(request(reference)))).kind).toBe('outcome_unknown')
    expect((await braintree.adapter.submitEvidence(request(reference))).result).toBe('applied')
  })

  test('nothing to send is refused here: the sandbox would take it', async () => {
    await using braintree = await simulated({ evidenceRequired: false })
    const reference = await open(braintree)
    const error = await refusal(braintree.adapter.submitEvidence(request(reference, { texts: {} })))
    expect(error.kind).toBe('invalid_request')
    expect(braintree.calls().filter((call) => call.startsWith('PUT'))).toEqual([])
  })

  test('a group that is incomplete (95721, 95723) is told by a sentence', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    const device = request(reference, { texts: { DEVICE_ID: 'x' } })
    expect((await refusal(braintree.adapter.submitEvidence(device))).message).toContain('date of the download')
    const prior = request(reference, {
      digest: 'e'.repeat(64),
      texts: { PRIOR_NON_DISPUTED_TRANSACTION_ARN: '1'.repeat(23) },
    })
    expect((await refusal(braintree.adapter.submitEvidence(prior))).message).toContain('date and time')
  })

  test('finalized, and what is read back is a review that nobody finalized for: never a wrong refusal', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.adapter.stageEvidence(request(reference))
    const evidence = await evidenceOf(braintree, reference)
    const fields = { status: 'under_review', statusHistory: historyOf('open', 'under_review'), evidence }
    const finalizing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (init?.method === 'PUT') await braintree.control('PATCH', `/disputes/${reference}`, { fields })
      return answer
    }
    const adapter = braintree.connect({ fetch: finalizing })
    expect((await refusal(adapter.submitEvidence(request(reference)))).kind).toBe('outcome_unknown')
    const question = { kind: 'submission', reference, digest: DIGEST, submissionsBefore: 0 } as const
    expect((await adapter.probe(question)).answer).toBe('unknown')
    expect((await refusal(adapter.submitEvidence(request(reference)))).kind).toBe('outcome_unknown')
    expect(braintree.calls().filter((call) => call.startsWith('PUT'))).toHaveLength(1)
  })

  test('finalized in the console with other evidence: rejected_final', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'disputed', stage: 'chargeback' })
    expect((await refusal(braintree.adapter.submitEvidence(request(reference)))).kind).toBe('rejected_final')
  })
})

describe('whether our submission went out', () => {
  const text = { id: 'm', category: 'GENERAL', url: null, sentToProcessorAt: null }
  const mark = { ...text, comment: `Evidence package ${DIGEST}` }
  const sent = { ...mark, sentToProcessorAt: '2026-03-20' }
  const opening = { ...text, comment: openingText(DIGEST, [['GENERAL', 'x']]) }
  test.each([
    ['open', ['open'], [mark], 'not_done'],
    ['disputed', ['open', 'disputed'], [mark], 'done'],
    ['disputed', [], [mark], 'done'],
    ['won', ['open', 'disputed', 'won'], [mark], 'done'],
    ['lost', ['open', 'disputed', 'lost'], [mark], 'done'],
    ['won', [], [mark], 'done'],
    // The issuer gave in while our evidence was attached and not yet sent.
    ['won', ['open', 'won'], [mark], 'impossible'],
    ['lost', ['open', 'lost'], [mark], 'impossible'],
    ['lost', ['open', 'lost'], [sent], 'done'],
    ['under_review', ['open', 'under_review'], [sent], 'done'],
    // A review of our answer, or the payment method's own.
    ['under_review', ['open', 'under_review'], [mark], 'unknown'],
    ['won', ['open', 'under_review', 'won'], [mark], 'unknown'],
    ['under_review', ['open', 'disputed', 'under_review'], [mark], 'done'],
    ['under_review', [], [mark], 'done'],
    ['under_review', ['open', 'under_review'], [], 'impossible'],
    ['accepted', ['open', 'accepted'], [mark], 'impossible'],
    ['disputed', ['open', 'disputed'], [opening], 'impossible'],
    ['expired', ['open', 'expired'], [mark], 'impossible'],
    ['auto_accepted', ['open', 'auto_accepted'], [mark], 'impossible'],
    ['disputed', ['open', 'disputed'], [], 'impossible'],
    ['of_next_year', ['open'], [mark], 'unknown'],
  ])('%s after %j', (status, history, evidence, answer) => {
    expect(submissionVerdict({ status, history, evidence }, DIGEST).answer).toBe(answer)
  })
})
