import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import type { PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import { CHARGEBACK, CLAIMS, client, input, kept, messages, psp } from './evidence-input.ts'

const warned = (play: PlayId, points: Record<string, unknown>, reported: Record<string, unknown> = {}) =>
  messages(composeEvidence(input({ claim: CLAIMS[play], sources: [client(points), psp(reported), CHARGEBACK] })))

describe('days in the merchant’s own sentences', () => {
  // The dispute is of 20 March 2026, and the package is built on 10 April.
  test.each([
    [
      'No refund is due: it was asked for on 12 April 2026.',
      'refundRefusalExplanation names a day that has not come yet: check it.',
    ],
    ['It was asked for on April 12th, 2026.', 'refundRefusalExplanation names a day that has not come yet: check it.'],
    ['It was asked for on 2026-04-12.', 'refundRefusalExplanation names a day that has not come yet: check it.'],
    ['It was asked for on 21 Mar. 2026.', 'refundRefusalExplanation names a day after the dispute: check it.'],
  ])('%s', (refundRefusalExplanation, message) => {
    expect(warned('credit', { refundRefusalExplanation })).toEqual([message])
  })

  test.each(['It was asked for on 20 March 2026.', 'Order 2026-99-99 of 31 Sept 20265.', 'In April 2027 it ends.'])(
    'are not found where there is none, or it can be right: %s',
    (refundRefusalExplanation) => expect(warned('credit', { refundRefusalExplanation })).toEqual([]),
  )
})

test('3-D Secure at a terminal is told to the merchant, and at a shop on the internet it is not', () => {
  const reported = { threeDsResult: 'authenticated' }
  expect(warned('fraud_cp', {}, reported)).toEqual([expect.stringMatching(/^3-D Secure is for sales on the internet/)])
  expect(warned('fraud_cnp', {}, reported)).toEqual([])
})

test('order lines that add up to another amount are told where the amount is disputed', () => {
  const orderItems = [{ name: 'Shoes', amount: '120.00 USD' }]
  expect(warned('amount', { orderItems })).toEqual([
    'The lines of the order add up to another amount than the disputed one.',
  ])
  expect(warned('not_received', { orderItems })).toEqual([])
})

describe('sentences about the order and the card', () => {
  const said = (play: PlayId, points: Record<string, unknown>) =>
    kept({ claim: CLAIMS[play], sources: [client(points), CHARGEBACK] })

  test('what is known of an order’s origin is one sentence', () => {
    expect(
      said('fraud_cnp', { transactionOrderIpAddress: '203.0.113.7', transactionOrderSteamId: 'user-12' }),
    ).toMatchObject({
      ordered_from: 'The order was placed from the IP address 203.0.113.7 and with the customer account user-12.',
    })
    expect(said('fraud_cnp', {})).not.toHaveProperty('ordered_from')
  })

  test('a delivery to the checked billing address says so, one elsewhere does not', () => {
    const delivery = {
      ...{ deliveryDate: '2026-03-06', transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY' },
      avsResult: 'Y',
    }
    const to = (billingAddress: string) => said('fraud_cnp', { ...delivery, billingAddress }).delivered
    expect(to('12 Mill Lane, Leeds LS1 4DY')).toMatch(/, the billing address that the card issuer confirmed\.$/)
    expect(to('14 Mill Lane, Leeds LS1 4DY')).toMatch(/LS1 4DY\.$/)
    expect(
      said('fraud_cnp', { ...delivery, avsResult: 'N', billingAddress: '12 Mill Lane, Leeds LS1 4DY' }).delivered,
    ).toMatch(/LS1 4DY\.$/)
  })

  test.each([
    ['Chip and PIN', 'the chip of the card was read and the PIN was entered.'],
    ['contactless', 'the card was read without contact.'],
  ])('a card at a terminal: %s', (cardEntry, end) => {
    expect(said('fraud_cp', { cardEntry }).card_read).toMatch(
      new RegExp(`^At the sale of 1 March 2026, 10:15 UTC ${end}$`),
    )
  })

  test('a swiped card proves nothing: the record of the sale is named instead', () => {
    expect(said('fraud_cp', { cardEntry: 'swiped' })).toHaveProperty('record')
    expect(said('fraud_cp', { cardEntry: 'swiped' })).not.toHaveProperty('card_read')
  })
})
