import { describe, expect, test } from 'vitest'
import { submissionBody } from '../../../../adapters/paypal/documents/evidence-body.ts'
import { requirementsOf } from '../../../../adapters/paypal/evidence-limits.ts'
import { paypal } from '../../../../adapters/paypal/index.ts'
import { planSubmission } from '../../../../adapters/paypal/plan.ts'
import type { DataPoints } from '../../../../domain/data-points.ts'
import { evidenceTexts } from '../../../../domain/evidence/evidence-texts.ts'
import { readForm } from '../../../../simulators/paypal/multipart.ts'
import { detail, link, NOW } from './paypal.ts'

const requirements = requirementsOf(detail(), NOW)
const file = (fileId: string, field?: string) => ({
  fileId,
  name: 'x.pdf',
  type: 'application/pdf',
  bytes: 100,
  sha256: fileId.repeat(8),
  ...(field !== undefined && { field }),
})
const plan = (files: ReturnType<typeof file>[], texts: Record<string, string> = {}) =>
  planSubmission(requirements, { files, texts })
const uploads = (files: ReturnType<typeof file>[], texts: Record<string, string> = {}) =>
  plan(files, texts).steps.flatMap((step) => (step.do === 'upload' ? [[step.fileId, step.field]] : []))

const tracking = { carrier_name: 'UPS', tracking_number: '1Z' }

describe('the service’s names of data points', () => {
  const textsOf = (points: DataPoints) =>
    evidenceTexts(points, Object.keys(requirements.textFields), paypal.textSources)
  const common = { shippingCarrier: 'UPS', shippingTrackingNumber: '1Z', refundId: 'R1' }
  const own = { carrier_name: 'DHL', tracking_number: '2Z', refund_ids: 'R2' }

  test('fill PayPal’s fields, like PayPal’s own names', () => {
    expect(textsOf(common)).toEqual({ carrier_name: 'UPS', tracking_number: '1Z', refund_ids: 'R1' })
    expect(textsOf(own)).toEqual(own)
  })

  test('are sent as tracking', () => {
    const request = { reference: 'PP-1', idempotencyKey: 'k', digest: 'd'.repeat(64), files: {}, documents: {} }
    const { texts } = plan([], textsOf({ shippingCarrier: 'ups', shippingTrackingNumber: '1Z' }))
    const { type, content } = submissionBody('provide-evidence', detail(), { ...request, texts })
    expect(readForm(Buffer.from(content as Uint8Array), type).input).toMatchObject({
      evidences: [
        {
          evidence_type: 'PROOF_OF_FULFILLMENT',
          evidence_info: { tracking_info: [{ carrier_name: 'UPS', tracking_number: '1Z' }] },
        },
      ],
    })
  })
})

describe('the plan', () => {
  test('has no stage step, because PayPal has no staging', () =>
    expect(plan([file('a')]).steps.map((step) => step.do)).toEqual(['upload', 'submit']))

  test('is empty without files and texts', () => expect(plan([]).steps).toEqual([]))

  test('uses PROOF_OF_FULFILLMENT only with tracking, and PROOF_OF_REFUND only with refund ids', () => {
    expect(uploads([file('a', 'PROOF_OF_FULFILLMENT')], tracking)).toEqual([['a', 'PROOF_OF_FULFILLMENT']])
    expect(uploads([file('a', 'PROOF_OF_FULFILLMENT')])).toEqual([['a', 'OTHER']])
    expect(uploads([file('a', 'PROOF_OF_REFUND')], { refund_ids: 'R1' })).toEqual([['a', 'PROOF_OF_REFUND']])
    expect(uploads([file('a', 'PROOF_OF_REFUND')])).toEqual([['a', 'OTHER']])
  })

  test('puts files without a field into the numbered fields, and drops the rest by name', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => file(id))
    expect(uploads(files).map(([, field]) => field)).toEqual(['OTHER', 'OTHER.2', 'OTHER.3', 'OTHER.4', 'OTHER.5'])
    expect(plan(files).dropped.map((drop) => drop.what)).toEqual(['f'])
  })

  test.each([
    ['a carrier alone', { carrier_name: 'UPS' }, ['carrier_name']],
    ['a tracking number alone', { tracking_number: '1Z' }, ['tracking_number']],
    ['a tracking URL alone', { tracking_url: 'https://ups.example/1Z' }, ['tracking_url']],
    ['an invalid tracking URL', { ...tracking, tracking_url: 'javascript:alert(1)' }, ['tracking_url']],
    [
      'a tracking number that is too long',
      { carrier_name: 'UPS', tracking_number: '1'.repeat(2001) },
      ['tracking_number', 'carrier_name'],
    ],
  ])('drops %s', (_, texts, dropped) => expect(plan([], texts).dropped.map((drop) => drop.what)).toEqual(dropped))

  test.each([
    ['tracking_number', tracking, 10],
    ['refund_ids', {}, 100],
  ])('sends as many of %s as PayPal accepts, and reports it', (field, texts, most) => {
    const ids = Array.from({ length: most + 3 }, (_, index) => `R${index}`)
    const { texts: sent, shortened } = plan([], { ...texts, [field]: ids.join(', ') })
    expect(sent[field]).toBe(ids.slice(0, most).join(','))
    expect(shortened.map((cut) => cut.field)).toEqual([field])
  })

  test.each([
    ['no id', { refund_ids: ' , ' }, ['refund_ids']],
    ['an id that is longer than PayPal accepts', { refund_ids: `R1,${'9'.repeat(256)}` }, ['refund_ids']],
    ['tracking without a number', { carrier_name: 'UPS', tracking_number: ',' }, ['tracking_number', 'carrier_name']],
  ])('drops %s', (_, texts, dropped) => expect(plan([], texts).dropped.map((drop) => drop.what)).toEqual(dropped))

  test('shortens notes only, with room for the mark', () => {
    const { texts, shortened } = plan([], { notes: 'x'.repeat(3000) })
    expect(texts.notes?.length).toBe(1950)
    expect(shortened).toEqual([{ field: 'notes', from: 3000, to: 1950 }])
  })

  test('never cuts a character in half', () =>
    expect(plan([], { notes: `${'x'.repeat(1949)}😀` }).texts.notes).toBe('x'.repeat(1949)))

  test('of supporting information accepts one file and notes', () => {
    const supporting = requirementsOf(detail({ status: 'UNDER_REVIEW', links: [link('provide_supporting_info')] }), NOW)
    const planned = planSubmission(supporting, { files: [file('a'), file('b')], texts: { notes: 'n', ...tracking } })
    expect(planned.steps).toHaveLength(2)
    expect(planned.dropped.map((drop) => drop.what).sort()).toEqual(['b', 'carrier_name', 'tracking_number'])
  })
})
