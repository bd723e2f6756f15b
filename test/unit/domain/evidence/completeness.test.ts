import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { CHARGEBACK, CLAIMS, client, FULL, input, visa } from './evidence-input.ts'

const compose = (points: object, change: Parameters<typeof input>[0] = {}) =>
  composeEvidence(input({ sources: [client({ ...points }), CHARGEBACK], ...change }))

describe('completeness', () => {
  test('is 1 with everything, and at most 0.60 while something required is missing', () => {
    expect(compose(FULL)).toMatchObject({ completeness: 1, requiredMissing: [], missing: [] })
    expect(
      compose({ ...FULL, ...{ deliveryDate: 'x', accessActivityLog: '', serviceDate: '', downloadDate: '' } }),
    ).toMatchObject({
      completeness: 0.6,
      requiredMissing: ['deliveryDate'],
    })
  })

  test('names missing facts by the data points that a client can send', () => {
    const { requiredMissing, missing } = compose({}, { exhibits: [] })
    expect(requiredMissing).toEqual([
      'deliveryDate',
      'transactionShippingToFullShippingAddress',
      'shippingTrackingNumber or a file of kind delivery',
    ])
    expect(missing).toEqual([
      'deliverySignedBy or a file of kind signature',
      'customerCommunication',
      'shippingCarrier',
      'transactionOrderItemsProductDescription',
    ])
  })

  test('of goods that did not arrive, only messages after the delivery count', () => {
    const { accessActivityLog: _a, serviceDate: _b, downloadDate: _c, ...goods } = FULL
    const missing = (sent: string, points: object = goods) =>
      compose({ ...points, customerCommunication: [{ sent, body: 'They fit.' }] }).missing
    expect(missing('2026-03-05')).toEqual(['customerCommunication'])
    expect(missing('2026-03-06')).toEqual(['customerCommunication'])
    expect(missing('2026-03-06T12:00:00Z')).toEqual([])
    expect(missing('2026-03-07', { ...goods, deliveryDate: undefined })).toEqual(['customerCommunication'])
  })

  test('asks only for facts that fit the kind of sale', () => {
    expect(compose({ serviceDate: '2026-03-05' }, { exhibits: [] }).requiredMissing).toEqual([])
    expect(compose({ expectedDeliveryDate: '2026-05-01' }, { exhibits: [] }).requiredMissing).toEqual([])
    expect(compose({ refundDate: '2026-03-05' }, { claim: CLAIMS.credit, exhibits: [] }).requiredMissing).toEqual([
      'refundAmount',
    ])
    expect(compose({}, { claim: CLAIMS.credit }).requiredMissing).toEqual([
      'refundRefusalExplanation',
      'refundPolicyDisclosure',
    ])
  })

  test('asks for an upload of a picture that is only linked', () => {
    const linked = { ...FULL, transactionVerificationCustomerPicture: 'https://pictures.example/1' }
    expect(compose(linked, { exhibits: [] }).missing).toContain(
      'a file of kind photo with the picture of transactionVerificationCustomerPicture: links are not followed',
    )
    expect(compose(linked).missing).toEqual([])
    expect(compose(FULL, { exhibits: [] }).missing.join()).not.toContain('photo')
  })

  test('of a trial, Visa 13.5 asks for consent and a notice of 7 days, and they answer the claim', () => {
    const of = (code: string, points: object) => {
      const chargeback = { ...CHARGEBACK, points: { ...CHARGEBACK.points, reasonCode: code } }
      const sources = [client({ subscriptionId: 'sub_3', ...points }), chargeback]
      return compose({}, { claim: visa(code), exhibits: ['contract'], sources })
    }
    const text = (one: ReturnType<typeof of>) => one.statements.find(({ id }) => id === 'trial')?.text
    expect(of('13.5', {}).requiredMissing).toEqual(['termsAcceptedDate', 'renewalNoticeDate'])
    const points = { termsAcceptedDate: '2026-02-01', renewalNoticeDate: '2026-02-22' }
    expect(text(of('13.5', points))).toBe(
      'The customer accepted the terms on 1 February 2026 and was notified on 22 February 2026, at least 7 days before the payment of 1 March 2026.',
    )
    expect(of('13.5', points).requiredMissing).toEqual([])
    expect(text(of('13.5', { ...points, renewalNoticeDate: '2026-02-23' }))).toBeUndefined()
    expect(text(of('13.5', { ...points, termsAcceptedDate: '2026-03-02' }))).toBeUndefined()
    expect(text(of('13.3', points))).toBeUndefined()
    expect(of('13.3', points).requiredMissing).not.toContain('renewalNoticeDate')
  })
})
