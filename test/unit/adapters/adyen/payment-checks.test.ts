import { expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/adyen/context.ts'

const points = (additionalData: object, success = 'true') => {
  const item = {
    ...{ additionalData, success, eventCode: 'AUTHORISATION', pspReference: 'P1', merchantAccountCode: 'M' },
    ...{ amount: { currency: 'EUR', value: 1000 }, eventDate: '2026-03-01T10:00:00+01:00', paymentMethod: 'visa' },
    ...{ merchantReference: 'R', reason: '' },
  }
  return toTransaction({ reference: 'P1', text: JSON.stringify(item) }).dataPoints
}

test.each([
  ['7 Both postal code and address match', 'match'],
  ['24 Both postal code and address match', 'match'],
  ['1 Address matches, postal code doesn’t', 'address_match'],
  ['6 Postal code matches', 'postal_code_match'],
  ['2 Neither postal code nor address match', 'no_match'],
  ['10 Address doesn’t match, postal code unknown', undefined],
  ['4 AVS not supported for this card type', undefined],
  ['70', undefined],
  ['match', undefined],
])('address check by its number: %s', (avsResult, expected) => expect(points({ avsResult }).avsResult).toBe(expected))

test('security code, authorization code and 3-D Secure; N/A is ignored', () => {
  const known = { cvcResult: '1 Matches', authCode: '049594', threeDAuthenticatedResponse: 'Y', eci: '5' }
  expect(points(known)).toMatchObject({
    authorizedAmount: '10 EUR',
    ...{ cvvResult: 'match', authorizationCode: '049594', threeDsResult: 'authenticated', eci: '05' },
  })
  expect(points({ cvcResult: '2 Doesn’t match' }).cvvResult).toBe('no_match')
  const nothing = points({
    cvcResult: '3 Not checked',
    threeDAuthenticatedResponse: 'N/A',
    threeDAuthenticated: 'true',
    eci: 'N/A',
  })
  for (const name of ['cvvResult', 'threeDsResult', 'eci']) expect(nothing).not.toHaveProperty(name)
})

test('a refused authorisation is no evidence', () => {
  expect(points({ avsResult: '7 Both postal code and address match', authCode: '1' }, 'false')).not.toHaveProperty(
    'avsResult',
  )
})
