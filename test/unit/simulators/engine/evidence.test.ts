import { describe, expect, it } from 'vitest'
import { type Connected, connect, refusal } from './connect.ts'

const PDF = Buffer.from('%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n')

async function openDispute(c: Connected, order: object = {}): Promise<string> {
  const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', ...order })
  return ref
}

async function upload(c: Connected, data: Buffer = PDF): Promise<string> {
  const file = { data, name: 'receipt.pdf', type: 'application/pdf' }
  return (await c.stripe.files.create({ purpose: 'dispute_evidence', file })).id
}

describe('POST /v1/disputes/{id}: staging and submitting', () => {
  it('only stages with submit false', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    const evidence = { product_description: 'A grinder', receipt: await upload(c) }
    const staged = await c.stripe.disputes.update(ref, { evidence, submit: false, metadata: { hash: 'h' } })
    expect(staged).toMatchObject({ status: 'needs_response', metadata: { hash: 'h' } })
    expect(staged.evidence.receipt).toBe(evidence.receipt)
    expect(staged.evidence_details).toMatchObject({
      has_evidence: true,
      submission_count: 0,
      submission_method: 'not_submitted',
    })
    expect((await c.control('GET /effects?kind=submission')).body.effects).toEqual([])
  })

  it('submits when submit is left out', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    const done = await c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'See above' } })
    expect(done.status).toBe('under_review')
    expect(done.evidence_details).toMatchObject({ submission_count: 1, submission_method: 'manual', past_due: false })
    const { effects } = (await c.control('GET /effects?kind=submission')).body
    expect(effects).toMatchObject([{ ref, details: { byDefault: true, submissionCount: 1 } }])
  })

  it('submits what was staged when metadata is sent without submit', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    await c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'x' }, submit: false })
    expect((await c.stripe.disputes.update(ref, { metadata: { note: '1' } })).status).toBe('under_review')
  })

  it('does not submit if metadata is sent while nothing is staged', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    expect((await c.stripe.disputes.update(ref, { metadata: { note: '1' } })).status).toBe('needs_response')
  })

  it('records files and texts of a submission by their hashes', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    const receipt = await upload(c)
    await c.stripe.disputes.update(ref, { evidence: { receipt }, submit: true }, { idempotencyKey: 's' })
    const { effects } = (await c.control(`GET /effects?ref=${ref}`)).body
    const { body: file } = await c.control(`GET /files/${receipt}`)
    expect(effects).toMatchObject([
      { idempotencyKey: 's', details: { files: { receipt: { file: receipt, sha256: file.sha256 } } } },
    ])
  })

  it('refuses a second submission, staging included', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    await c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'x' }, submit: true })
    for (const submit of [true, false]) {
      const again = c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'y' }, submit })
      expect((await refusal(again)).statusCode).toBe(400)
    }
    expect((await c.control('GET /effects')).body.total).toBe(1)
  })

  it('refuses to submit nothing', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    expect((await refusal(c.stripe.disputes.update(ref, { submit: true }))).statusCode).toBe(400)
  })

  it.each([0, null])('refuses evidence when due_by is %s', async (due_by) => {
    await using c = await connect()
    const ref = await openDispute(c)
    const { evidence_details } = (await c.control(`GET /disputes/${ref}`)).body.object
    await c.control(`PATCH /disputes/${ref}`, { fields: { evidence_details: { ...evidence_details, due_by } } })
    const call = c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'x' }, submit: false })
    expect((await refusal(call)).statusCode).toBe(400)
  })

  it('clears a field with an empty text', async () => {
    await using c = await connect()
    const ref = await openDispute(c)
    await c.stripe.disputes.update(ref, { evidence: { product_description: 'x' }, submit: false })
    const cleared = await c.stripe.disputes.update(ref, { evidence: { product_description: '' }, submit: false })
    expect(cleared.evidence.product_description).toBeNull()
    expect(cleared.evidence_details.has_evidence).toBe(false)
  })
})

describe('POST /v1/disputes/{id}: refusals', () => {
  it.each([
    ['evidence[summary]=x', 'evidence[summary]'],
    ['evidence[enhanced_evidence][visa_compliance][fee]=1', 'evidence[enhanced_evidence][visa_compliance][fee]'],
    ['evidence[appeal][card][note]=x', 'evidence[appeal][card][note]'],
  ])('names the unknown parameter %s', async (body, param) => {
    await using c = await connect()
    const response = await c.raw(`POST /v1/disputes/${await openDispute(c)}`, { body })
    expect((await response.json()) as object).toMatchObject({ error: { code: 'parameter_unknown', param } })
  })

  it.each([
    ['a submit that is no boolean', 'submit=perhaps'],
    ['an unknown file', 'submit=false&evidence[receipt]=file_none'],
    ['a text that is too long', `submit=false&evidence[shipping_carrier]=${'x'.repeat(5001)}`],
    [
      'texts that are too long together',
      `submit=false&${Array.from('12345678', (_, i) => `evidence[${['access_activity_log', 'cancellation_policy_disclosure', 'cancellation_rebuttal', 'duplicate_charge_explanation', 'product_description', 'refund_policy_disclosure', 'refund_refusal_explanation', 'uncategorized_text'][i]}]=${'x'.repeat(19_000)}`).join('&')}`,
    ],
    ['an appeal that is not open', 'submit=false&evidence[appeal][card][reason_for_filing]=x'],
  ])('returns 400 for %s', async (_, body) => {
    await using c = await connect()
    const ref = await openDispute(c)
    expect((await c.raw(`POST /v1/disputes/${ref}`, { body })).status).toBe(400)
    expect((await c.stripe.disputes.retrieve(ref)).evidence_details.has_evidence).toBe(false)
  })

  it('refuses more pages than the network accepts, also when staging', async () => {
    await using c = await connect()
    const ref = await openDispute(c, { reason: '4837' })
    const pages = Buffer.from(`%PDF-1.4\n${'<< /Type /Page >>\n'.repeat(20)}`)
    const call = c.stripe.disputes.update(ref, { evidence: { receipt: await upload(c, pages) }, submit: false })
    expect((await refusal(call)).code).toBe('dispute_evidence_page_limit_exceeded')
  })

  it('refuses Smart Disputes on an inquiry, and accepts the opt-out', async () => {
    await using c = await connect()
    const ref = await openDispute(c, { stage: 'inquiry' })
    const set = (intended_submission_method: 'smart_disputes' | 'manual') =>
      c.stripe.disputes.update(ref, { intended_submission_method, submit: false })
    expect((await refusal(set('smart_disputes'))).code).toBe('smart_disputes_not_available')
    expect((await set('manual')).intended_submission_method).toBe('manual')
  })
})

describe('outcomes', () => {
  it.each([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('%s becomes %s', async (uncategorized_text, status) => {
    await using c = await connect()
    const ref = await openDispute(c)
    expect((await c.stripe.disputes.update(ref, { evidence: { uncategorized_text } })).status).toBe('under_review')
    await c.control('POST /clock', { seconds: 10 })
    expect((await c.stripe.disputes.retrieve(ref)).status).toBe(status)
  })

  it('accepts only an appeal after a loss is reopened', async () => {
    await using c = await connect()
    const ref = await openDispute(c, { reason: '10.4' })
    await c.control(`POST /disputes/${ref}/decide`, { outcome: 'lost' })
    expect((await c.control(`POST /disputes/${ref}/decide`, { outcome: 'reopened' })).body.status).toBe(
      'appeal_needs_response',
    )
    expect((await refusal(c.stripe.disputes.update(ref, { evidence: { uncategorized_text: 'x' } }))).statusCode).toBe(
      400,
    )
    const appeal = { card: { reason_for_filing: 'New proof', supporting_files: [await upload(c)] } }
    const done = await c.stripe.disputes.update(ref, { evidence: { appeal }, submit: true })
    expect([done.status, done.evidence.appeal]).toEqual(['appeal_under_review', appeal])
  })
})
