import { describe, expect, test } from 'vitest'
import type { Adapter, SubmissionRequest } from '../../../../adapters/contract.ts'
import { markOf, submissionBody } from '../../../../adapters/paypal/documents/evidence-body.ts'
import { type Route, requirementsOf, routeOf } from '../../../../adapters/paypal/evidence-limits.ts'
import { readForm } from '../../../../simulators/paypal/multipart.ts'
import { detail, errorOf, ID, link, NOW, requestedEvidence, resolved, reviewed, simulated } from './paypal.ts'

const digest = 'ab12'.repeat(16)
const pdf = { name: 'the merchant’s own name.v2.pdf', type: 'application/pdf', data: Buffer.from('%PDF-') }

function request(changes: Partial<SubmissionRequest> = {}): SubmissionRequest {
  return { reference: ID, idempotencyKey: 'k', digest, files: {}, texts: {}, ...changes }
}
function sent(dispute: unknown, changes: Partial<SubmissionRequest>, route: Route = 'provide-evidence') {
  const { type, content } = submissionBody(route, dispute, request(changes))
  return readForm(Buffer.from(content as Uint8Array), type)
}
const evidencesOf = (dispute: unknown, changes: Partial<SubmissionRequest>) =>
  (sent(dispute, changes).input as { evidences: Record<string, unknown>[] }).evidences

describe('which call accepts evidence', () => {
  test.each([
    ['provide_evidence', 'provide-evidence'],
    ['provide-evidence', 'provide-evidence'],
    ['provide_supporting_info', 'provide-supporting-info'],
    ['appeal', 'appeal'],
    ['accept_claim', null],
  ])('link %s → %s', (rel, route) => expect(routeOf(detail({ links: [link(rel)] }))).toBe(route))

  test.each([
    [reviewed([]), 'under review'],
    [resolved('RESOLVED_SELLER_FAVOUR'), 'closed'],
    [detail({ status: 'OPEN', links: [link('accept_claim')] }), 'inquiry'],
    [detail({ status: 'WAITING_FOR_BUYER_RESPONSE', links: [] }), 'buyer'],
    [detail({ seller_response_due_date: '2026-02-28T00:00:00Z' }), 'due date'],
  ])('no call, with the reason %#', (dispute, word) => {
    const { answerable, reason } = requirementsOf(dispute, NOW)
    expect([answerable, reason?.includes(word)]).toEqual([false, true])
  })

  test('tracking is accepted for some reasons, or if PayPal requests it', () => {
    const fields = (changes: object) => requirementsOf(detail(changes as Record<string, unknown>), NOW).fileFields
    expect(fields({ reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' })).toContain('PROOF_OF_FULFILLMENT')
    expect(fields({ reason: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED' })).not.toContain('PROOF_OF_FULFILLMENT')
    const requested = {
      reason: 'OTHER',
      evidences: [requestedEvidence('PROOF_OF_FULFILLMENT'), requestedEvidence('RETURN_POLICY')],
    }
    expect(fields(requested)).toEqual(expect.arrayContaining(['PROOF_OF_FULFILLMENT', 'RETURN_POLICY', 'OTHER']))
  })

  test('a proof of return needs tracking, which is then not sent as proof of fulfillment', () => {
    const returned = detail({ reason: 'CREDIT_NOT_PROCESSED', evidences: [requestedEvidence('PROOF_OF_RETURN')] })
    const { fileFields, textFields } = requirementsOf(returned, NOW)
    expect(fileFields).toContain('PROOF_OF_RETURN')
    expect(fileFields).not.toContain('PROOF_OF_FULFILLMENT')
    expect(textFields).toHaveProperty('tracking_number')
    const texts = { carrier_name: 'UPS', tracking_number: '1Z' }
    const tracked = { tracking_info: [{ carrier_name: 'UPS', tracking_number: '1Z' }] }
    for (const documents of [{}, { PROOF_OF_RETURN: pdf }]) {
      const pieces = evidencesOf(returned, { texts, documents })
      expect(pieces.map((piece) => [piece.evidence_type, piece.evidence_info])).toEqual([['PROOF_OF_RETURN', tracked]])
    }
  })
})

describe('the request body', () => {
  const documents = { OTHER: pdf }
  const name = `${markOf(digest)}-1.pdf`

  test('one PDF and notes are one evidence entry of type OTHER, with our mark in both', () => {
    const [piece, ...rest] = evidencesOf(detail(), { documents, texts: { notes: 'Delivered.' } })
    expect(rest).toEqual([])
    expect(piece).toEqual({
      evidence_type: 'OTHER',
      notes: `Delivered.\n\nReference: ${markOf(digest)}`,
      documents: [{ name }],
    })
  })

  test('file names have one dot and a suffix of letters, whatever the merchant’s file name', () => {
    const { files } = sent(detail(), { documents })
    expect(files.map((file) => [file.name, file.type, file.bytes.toString()])).toEqual([
      [name, 'application/pdf', '%PDF-'],
    ])
    expect(name).toMatch(/^[A-Za-z0-9-_,\s]+[.]{1}[A-Za-z]+$/)
  })

  test('notes alone are sent as the type that PayPal requests, if notes are enough for it', () => {
    const typeFor = (...types: string[]) =>
      evidencesOf(detail({ evidences: types.map((type) => requestedEvidence(type)) }), { texts: { notes: 'x' } })[0]
        ?.evidence_type
    expect(typeFor('PROOF_OF_FULFILLMENT', 'RETURN_POLICY')).toBe('RETURN_POLICY')
    expect(typeFor('PROOF_OF_FULFILLMENT')).toBe('OTHER')
    expect(typeFor()).toBe('OTHER')
  })

  test.each([
    ['fedex', { carrier_name: 'FEDEX' }],
    ['DE DPD-Delistack', { carrier_name: 'DE_DPD_DELISTACK' }],
    ['Aunt Emma', { carrier_name: 'OTHER', carrier_name_other: 'Aunt Emma' }],
    ['OTHER', { carrier_name: 'OTHER', carrier_name_other: 'OTHER' }],
  ])('carrier %j', (carrier_name, expected) => {
    const [piece] = evidencesOf(detail(), { texts: { carrier_name, tracking_number: '1Z, 2Z' } })
    expect(piece?.evidence_type).toBe('PROOF_OF_FULFILLMENT')
    expect(piece?.evidence_info).toEqual({
      tracking_info: [
        { ...expected, tracking_number: '1Z' },
        { ...expected, tracking_number: '2Z' },
      ],
    })
  })

  const several = { documents, texts: { carrier_name: 'UPS', tracking_number: '1Z', refund_ids: 'R1,R2' } }
  test('several evidence entries name their item', () => {
    const [first] = detail().disputed_transactions as object[]
    const withItem = detail({ disputed_transactions: [{ ...first, items: [{ item_id: 'ITEM1' }] }] })
    const pieces = evidencesOf(withItem, several)
    expect(pieces.map((piece) => [piece.evidence_type, piece.item_id])).toEqual([
      ['PROOF_OF_FULFILLMENT', 'ITEM1'],
      ['PROOF_OF_REFUND', 'ITEM1'],
      ['OTHER', 'ITEM1'],
    ])
    expect(pieces.filter((piece) => piece.notes !== undefined)).toHaveLength(1)
  })
  test('without an item everything is one evidence entry', () => {
    const pieces = evidencesOf(detail(), several)
    expect(pieces).toHaveLength(1)
    expect(pieces[0]).toMatchObject({
      evidence_type: 'PROOF_OF_FULFILLMENT',
      documents: [{ name }],
      evidence_info: { refund_ids: ['R1', 'R2'], tracking_info: [{ tracking_number: '1Z' }] },
    })
  })

  test.each([
    ['application/zip', 10],
    ['application/pdf', 10 * 1024 * 1024],
  ])('a file of %s with %i bytes is refused', async (type, bytes) => {
    const data = Buffer.alloc(bytes)
    const error = await errorOf(() => sent(detail(), { documents: { OTHER: { name: 'x', type, data } } }))
    expect(error.kind).toBe('invalid_request')
  })

  test('files of more than 50 MB in total are refused', async () => {
    const file = { name: 'x', type: 'application/pdf', data: Buffer.alloc(10 * 1024 * 1024 - 1) }
    const documents = Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((field) => [field, file]))
    const error = await errorOf(() => submissionBody('provide-evidence', detail(), request({ documents })))
    expect(error.kind).toBe('invalid_request')
  })
})

describe('at the simulated PayPal', () => {
  const submission = { idempotencyKey: 'k', digest, files: {}, texts: { notes: 'Proof.' }, documents: { OTHER: pdf } }

  test('the same evidence is sent once more if PayPal requests it again', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    await adapter.submitEvidence({ reference, ...submission })
    expect((await adapter.submitEvidence({ reference, ...submission })).result).toBe('already_applied')
    await bench.control('POST', '/clock', { seconds: 5 })
    await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })
    expect((await adapter.submitEvidence({ reference, ...submission, idempotencyKey: 'k2' })).result).toBe('applied')
    expect(bench.effects('submission', reference)).toHaveLength(2)
  })

  test('an appeal accepts the same evidence', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [reference = ''] = await bench.create({ count: 1, status: 'APPEALABLE' })
    expect((await adapter.submitEvidence({ reference, ...submission })).result).toBe('applied')
    expect(bench.effects('submission', reference)[0]?.details).toMatchObject({ action: 'appeal' })
  })

  test('supporting information is sent as JSON, or as a form if it has a file', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const references = await bench.create({ count: 40, status: 'under_review' })
    const open = await Promise.all(
      references.map(async (reference) => ((await adapter.describeEvidence(reference)).answerable ? reference : '')),
    )
    const [withoutFile = '', withFile = ''] = open.filter((reference) => reference !== '')
    expect((await adapter.submitEvidence({ ...submission, reference: withoutFile, documents: {} })).result).toBe(
      'applied',
    )
    expect((await adapter.submitEvidence({ ...submission, reference: withFile })).result).toBe('applied')
    expect(bench.effects('upload', withFile)).toHaveLength(1)
  })

  test('every kind of evidence passes the simulator’s checks', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const texts = { notes: 'n', carrier_name: 'Aunt Emma', tracking_number: '1Z', refund_ids: 'R1' }
    const documents = { PROOF_OF_FULFILLMENT: pdf, PROOF_OF_REFUND: pdf, OTHER: pdf, 'OTHER.2': pdf }
    for (const reference of await bench.create({
      count: 12,
      status: 'needs_response',
      stage: 'claim',
      reason: 'UNAUTHORISED',
    })) {
      expect((await adapter.submitEvidence({ ...submission, reference, texts, documents })).result).toBe('applied')
    }
  })
})
