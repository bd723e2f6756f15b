import { describe, expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import type { ExhibitKind, FactName } from '../../../domain/evidence/fact-catalogue.ts'
import type { PlayId } from '../../../domain/evidence/playbooks/playbook.ts'
import type { TextTable } from '../../../domain/evidence/texts/text-table.ts'

const tableOf = (source: string): [TextTable, readonly string[]] => {
  const found = adapters().find((one) => one.source === source)
  return [found?.textTable ?? { fields: {} }, found?.evidence?.fileFields ?? []]
}
const places = (
  source: string,
  play: PlayId,
  facts: FactName[],
  { exhibits = [], free }: { exhibits?: ExhibitKind[]; free?: string[] } = {},
) => {
  const [table, fields] = tableOf(source)
  return table.placesOf?.({ play, facts: new Set(facts), exhibits: new Set(exhibits) }, free ?? fields) ?? []
}

describe('the field of a package’s PDF', () => {
  test.each<[PlayId, FactName[], ExhibitKind[], string[]]>([
    ['not_received', ['deliveryDate'], [], ['PROOF_OF_DELIVERY']],
    ['not_received', ['deliveryDate', 'deliverySignedBy'], ['delivery'], ['SIGNED_DELIVERY_FORM']],
    ['not_received', ['deliveryDate'], ['signature'], ['SIGNED_DELIVERY_FORM']],
    ['not_received', ['downloadDate'], [], ['PROOF_OF_POSSESSION_OR_USAGE']],
    ['not_received', ['goods'], [], []],
    ['fraud_cnp', ['authenticated', 'deliveryDate'], [], ['PROOF_OF_3D_SECURE']],
    ['fraud_cnp', ['deliveryDate'], [], ['PROOF_OF_DELIVERY']],
    ['fraud_cnp', ['origin'], [], ['MERCHANT_WEBSITE_OR_APP_ACCESS']],
    ['duplicate', ['duplicateChargeId', 'deliveryDate'], [], []],
  ])('at Braintree, %s with %j and files %j: %j', (play, facts, exhibits, expected) => {
    expect(places('braintree', play, facts, { exhibits })).toEqual(expected)
    expect(tableOf('braintree')[1]).toEqual(expect.arrayContaining(expected))
  })

  test('at PayPal is the type that PayPal asks for, then tracking, then a refund', () => {
    const tracked: FactName[] = ['shippingCarrier', 'shippingTrackingNumber']
    expect(places('paypal', 'not_received', tracked)).toEqual(['PROOF_OF_FULFILLMENT'])
    expect(places('paypal', 'not_received', ['shippingTrackingNumber'])).toEqual([])
    expect(places('paypal', 'not_described', tracked)).toEqual([])
    expect(places('paypal', 'credit', ['refundId'])).toEqual(['PROOF_OF_REFUND'])
    const free = ['PROOF_OF_RECEIPT_COPY', 'PROOF_OF_FULFILLMENT', 'PROOF_OF_REFUND', 'OTHER']
    expect(places('paypal', 'not_received', tracked, { free })).toEqual([
      'PROOF_OF_RECEIPT_COPY',
      'PROOF_OF_FULFILLMENT',
    ])
  })

  test.each(['stripe', 'adyen'])('at %s is the one of documents of any kind', (source) =>
    expect(places(source, 'not_received', ['deliveryDate'])).toEqual([]),
  )
})
