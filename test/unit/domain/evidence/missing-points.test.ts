import { expect, test } from 'vitest'
import { missingPoints } from '../../../../domain/evidence/missing-points.ts'
import { PLAY_IDS } from '../../../../domain/evidence/playbooks/playbook.ts'
import { CLAIMS, visa } from './evidence-input.ts'

test('names what the claim requires first, and nothing that is there', () => {
  expect(missingPoints(CLAIMS.not_received, [])).toEqual([
    ...['deliveryDate', 'transactionShippingToFullShippingAddress', 'shippingTrackingNumber', 'deliverySignedBy'],
    ...['customerCommunication', 'shippingCarrier', 'transactionOrderItemsProductDescription'],
  ])
  const goods = ['transactionOrderItemsProductName', 'deliveryDate']
  expect(missingPoints(CLAIMS.not_received, goods).slice(0, 2)).toEqual([
    ...['transactionShippingToFullShippingAddress', 'shippingTrackingNumber'],
  ])
  expect(missingPoints(CLAIMS.not_received, ['serviceDate'])).not.toContain('deliveryDate')
})

test('follows the PSP’s word where the code is shared, and never ends while names are left', () => {
  expect(missingPoints({ ...visa('4853'), cardScheme: 'mastercard', reason: 'product_not_received' }, [])[0]).toBe(
    'deliveryDate',
  )
  for (const play of PLAY_IDS) {
    const sent = new Set<string>()
    for (let rounds = 0; rounds < 3; rounds++) for (const name of missingPoints(CLAIMS[play], sent)) sent.add(name)
    expect(missingPoints(CLAIMS[play], sent), play).toEqual([])
    expect([...sent].every((name) => /^\w+$/.test(name))).toBe(true)
  }
})
