import { describe, expect, test } from 'vitest'
import { EXHIBIT_KINDS, type PointSource } from '../../../../domain/evidence/fact-catalogue.ts'
import { gatherFacts } from '../../../../domain/evidence/gather-facts.ts'
import { nextDateOf } from '../../../../domain/evidence/next-date.ts'
import { excludeContradictions } from '../../../../domain/evidence/warnings/contradictions.ts'
import { CHARGEBACK, client, messages, NOW, psp, record } from './evidence-input.ts'

const gather = (...sources: PointSource[]) => gatherFacts([...sources, CHARGEBACK], NOW)
const check = (points: Record<string, unknown>, exhibits = EXHIBIT_KINDS.slice(), ...more: PointSource[]) => {
  const sources = [client(points), ...more, CHARGEBACK]
  return excludeContradictions(gatherFacts(sources, NOW), sources, new Set(exhibits))
}

describe('sources of facts', () => {
  test('the client, then the latest record, then the PSP, then the chargeback; each fact has its source', () => {
    const [one, two] = [{ transactionOrderSteamId: 'own' }, { transactionOrderSteamId: 'late' }]
    const early = { transactionOrderSteamId: 'early', transactionOrderDeviceId: 'd', arn: 'x' }
    const { facts } = gather(client(one), { ...record(two), at: 'later' }, record(early), psp({ transactionArn: '7' }))
    expect(facts.account).toEqual({ value: 'own', source: 'client', name: 'transactionOrderSteamId', at: null })
    expect(facts.device?.source).toBe('record')
    expect(facts.transactionId).toMatchObject({ value: 'ch_7', source: 'chargeback', at: CHARGEBACK.at })
    expect(gather(record(two), record(early)).facts.account?.value).toBe('late')
  })

  test('the PSP’s own record of checks and refunds takes precedence over the client’s values', () => {
    const points = { avsResult: 'N', refundId: 'psp', orderId: 'psp' }
    const { facts } = gather(client({ avsResult: 'Y', refundId: 'own', orderId: 'own' }), psp(points))
    expect([facts.avsResult?.value, facts.refundId?.value, facts.orderId?.value]).toEqual(['N', 'psp', 'own'])
  })

  test('a refund is one refund: another one’s amount and date do not go with the id that the PSP reports', () => {
    const [refundAmount, refundDate] = ['90.00', '2026-03-04']
    const refund = (points: object, ...more: PointSource[]) => {
      const { facts } = gather(client({ ...points }), ...more, psp({ refundId: 'bt_R1' }))
      return [facts.refundId?.value, facts.refundAmount !== undefined, facts.refundDate !== undefined]
    }
    expect(refund({ refundId: 'other', refundAmount, refundDate })).toEqual(['bt_R1', false, false])
    expect(refund({ refundId: 'bt_R1', refundAmount, refundDate })).toEqual(['bt_R1', true, true])
    expect(refund({ refundAmount, refundDate })).toEqual(['bt_R1', true, true])
    expect(refund({ refundDate }, record({ refundDate: '2026-03-05', refundAmount }))).toEqual(['bt_R1', false, true])
  })

  test('a refund is the same however its amount and day are written', () => {
    const own = { refundAmount: '12.50', refundDate: '2026-03-05', refundArn: '7' }
    const arn = (reported: object) => gather(client(own), psp({ ...reported })).facts.refundArn?.value
    const reported = { refundId: 're_1', refundAmount: '12.5 USD', refundDate: '2026-03-05T10:00:00.000Z' }
    expect(arn(reported)).toBe('7')
    expect(arn({ ...reported, refundAmount: '12.51 USD' })).toBeUndefined()
    expect(arn({ ...reported, refundDate: '2026-03-06T10:00:00.000Z' })).toBeUndefined()
  })

  test('a carrier is that of the tracking number', () => {
    const shipment = (own: object, reported: object) => {
      const { facts } = gather(client({ ...own }), psp({ ...reported }))
      return [facts.shippingCarrier?.value, facts.shippingTrackingNumber?.value]
    }
    const number = { shippingTrackingNumber: '1' }
    expect(shipment(number, { shippingTrackingNumber: '2', shippingCarrier: 'UPS' })).toEqual([undefined, '1'])
    expect(shipment(number, { ...number, shippingCarrier: 'UPS' })).toEqual(['UPS', '1'])
    expect(shipment(number, { shippingCarrier: 'UPS' })).toEqual([undefined, '1'])
    expect(shipment({ shippingCarrier: 'DHL' }, { ...number, shippingCarrier: 'UPS' })).toEqual(['UPS', '1'])
    expect(shipment({ shippingCarrier: 'DHL' }, number)).toEqual(['DHL', '1'])
  })

  test('the order of sources takes precedence over the order of names', () => {
    const mail = gather(client({ transactionShippingEmail: 'own@x.io' }), psp({ transactionOrderEmail: 'psp@x.io' }))
    expect(mail.facts.email?.value).toBe('own@x.io')
  })

  test('an address in parts, but no address without street or postal code', () => {
    const line = { transactionShippingToAddressLine1: '12 Mill Lane' }
    expect(gather(client({ ...line, transactionShippingToZipCode: 'LS1' })).facts.shipTo?.value).toBe(
      '12 Mill Lane, LS1',
    )
    expect(gather(client({ ...line, transactionShippingToState: 'OR' })).facts.shipTo).toBeUndefined()
  })

  test('no address that is a city alone', () => {
    const shipTo = (address: unknown, more: object = {}) =>
      gather(client({ transactionShippingToFullShippingAddress: address, ...more })).facts.shipTo?.value
    for (const city of ['Leeds', 'Leeds, GB', 'Leeds, LS1', 'Leeds, LS1 4DY', 'Springfield, IL 62701', 'Berlin, 10115'])
      expect(shipTo(city), city).toBeUndefined()
    for (const full of [
      '12 Mill Lane, Leeds',
      '12 Mill Lane Leeds LS1',
      'Via Roma, 5 - 00184 Roma',
      'Москва, ул. Ленина 5',
    ])
      expect(shipTo(full)).toBe(full)
    for (const full of [
      'Rose Cottage, Littleton, SO22 6QR',
      '12345 MAIN ST, AUSTIN, TX 73301',
      '1-1 Chiyoda, 100-0001',
    ])
      expect(shipTo(full)).toBe(full)
    expect(shipTo('Villa Rosa, Al Wasl Road, Jumeirah, Dubai')).toBe('Villa Rosa, Al Wasl Road, Jumeirah, Dubai')
    expect(shipTo('شارع ١٢، الرياض')).toBe('شارع ١٢، الرياض')
    const parts = { transactionShippingToAddressLine1: '12 Mill Lane', transactionShippingToZipCode: 'LS1' }
    expect(shipTo('Leeds', parts)).toBe('12 Mill Lane, LS1')
  })

  test('nothing, false and empty texts are not facts', () => {
    const points = {
      orderId: ' ',
      notReturned: false,
      signedDelivery: 'no',
      deviceName: '',
      goods: 'x',
      refundAmount: 0,
    }
    expect(Object.keys(gather(client(points)).facts).sort()).toEqual(Object.keys(gather().facts).sort())
  })
})

describe('unusable values are removed, with a warning that does not contain the value', () => {
  test.each([
    ['deliveryDate', '03/04/2026', /is no date/],
    ['deliveryDate', '2026-02-30', /is no date/],
    ['deliveryDate', 1_772_000_000, /is no date/],
    ['deliveryDate', '1999-12-31', /before 2000/],
    ['deliveryDate', '2026-05-01', /in the future/],
    ['refundAmount', '12,00 USD', /is no amount/],
    ['refundAmount', '12.00 XXQ', /is no amount/],
    ['refundAmount', '12.001', /is no amount/],
    ['orderId', { a: 1 }, /is no text/],
    ['orderId', '4242 4242 4242 4242', /card number/],
    ['shippingTrackingNumber', 'T'.repeat(101), /longer than 100 characters: send the number alone/],
  ])('%s %j', (name, value, why) => {
    const { facts, excluded, warnings } = gather(client({ [name]: value }))
    expect([excluded, facts[name as 'orderId']]).toEqual([[name], undefined])
    expect(warnings[0]?.message).toMatch(why)
    expect(warnings[0]?.message).not.toContain(String(value))
  })

  test('of several identifiers only the too long ones are left out', () => {
    const { facts, warnings } = gather(client({ shippingTrackingNumber: `1Z1, ${'T'.repeat(101)}; 1Z2` }))
    expect(facts.shippingTrackingNumber?.value).toBe('1Z1, 1Z2')
    expect(warnings).toMatchObject([{ code: 'unreadable' }])
  })

  test('the PSP’s value does not replace an invalid value of the client', () => {
    expect(
      gather(client({ deliveryDate: 'soon' }), psp({ deliveryDate: '2026-03-06' })).facts.deliveryDate,
    ).toBeUndefined()
  })

  test('the merchant is not warned about what only the PSP can fix', () => {
    const points = { ...CHARGEBACK.points, amount: { amount: '1', currency: 'XXQ' } }
    expect(gatherFacts([{ ...CHARGEBACK, points }], NOW)).toMatchObject({ excluded: ['amount'], warnings: [] })
  })

  test('only the expected delivery may be in the future', () => {
    expect(gather(client({ expectedDeliveryDate: '2026-05-01' })).excluded).toEqual([])
  })
})

test('the next date that passes is that of an expected delivery, or of a fact that lies in the future', () => {
  const past = client({ deliveryDate: '2026-04-09', dueDate: '2026-04-20' })
  expect(nextDateOf([past, CHARGEBACK], NOW)).toBeNull()
  const expected = client({ expectedDeliveryDate: '2026-04-12T11:00:00+02:00' })
  expect(nextDateOf([past, expected], NOW)).toEqual(new Date('2026-04-12T09:00:00Z'))
  const day = record({ serviceDate: '2026-04-12' })
  expect(nextDateOf([expected, day], NOW)).toEqual(new Date('2026-04-11T10:00:00Z'))
  const served = (now: string) => gatherFacts([day], new Date(now)).facts.serviceDate?.name
  expect([served('2026-04-11T09:59:59Z'), served('2026-04-11T10:00:00Z')]).toEqual([undefined, 'serviceDate'])
})

describe('facts that contradict each other are removed', () => {
  const zip = {
    transactionShippingToFullShippingAddress: '12 Mill Lane, LS1 4DY',
    transactionShippingToZipCode: 'OX1 1AA',
  }
  test.each([
    [
      { shippingDate: '2026-03-06', deliveryDate: '2026-03-03' },
      ['shippingDate', 'deliveryDate'],
      /before the shipment/,
    ],
    [{ lastUseDate: '2026-02-27' }, ['lastUseDate'], /last use is before the purchase/],
    [{ downloadDate: '2026-02-27' }, ['downloadDate'], /download is before the purchase/],
    [{ refundAmount: '130.00', refundDate: '2026-03-05' }, ['refundAmount'], /larger than the disputed amount/],
    [zip, ['shipTo', 'zip'], /postal code/],
    [{ notReturned: true, returnedDate: '2026-03-12' }, ['notReturned', 'returnedDate'], /returned and not returned/],
    [{ orderId: 'A', duplicateChargeOrderId: 'A' }, ['orderId', 'duplicateChargeOrderId'], /the same order/],
    [{ duplicateChargeId: 'ch_7' }, ['duplicateChargeId'], /is this payment/],
    [{ threeDsResult: 'Y', eci: '07' }, ['threeDsResult', 'eci'], /3-D Secure/],
  ])('%j', (points, removed, why) => {
    const { facts, excluded, warnings } = check(points)
    expect(excluded).toEqual(removed)
    for (const name of removed) expect(facts[name as 'zip']).toBeUndefined()
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'contradiction', message: expect.stringMatching(why) }),
    )
  })

  test('a smaller authorized amount is left out, and is no contradiction: captures may exceed it', () => {
    const { facts, warnings } = check({ authorizedAmount: '129.89' })
    expect(facts.authorizedAmount).toBeUndefined()
    expect(warnings).toEqual([expect.objectContaining({ code: 'adverse', facts: ['authorizedAmount'] })])
  })

  test('e-mail addresses of client and PSP, but not two spellings of one', () => {
    const own = { transactionOrderEmail: 'ada@example.com' }
    const email = (address: string) => check(own, [], psp({ transactionOrderEmail: address })).facts.email?.value
    expect(email('eve@example.com')).toBeUndefined()
    expect(email('Ada@Example.com')).toBe('ada@example.com')
  })

  test('a ZIP code of nine digits matches an address with the first five', () => {
    const address = { transactionShippingToFullShippingAddress: '1 Road, Bend, OR 97712' }
    expect(check({ ...address, transactionShippingToZipCode: '97712-1234' }).excluded).toEqual([])
  })

  test('a signature without a file that shows it', () => {
    const points = { deliverySignedBy: 'Ada', signedDelivery: true }
    expect(check(points, ['receipt']).excluded).toEqual(['signedDelivery', 'deliverySignedBy'])
    expect(check(points, ['signature']).excluded).toEqual([])
  })

  test('a purchase date from the client is removed too, but the PSP’s stays', () => {
    const points = { lastUseDate: '2026-02-27' }
    const given = check(points, [], record({ transactionCreatedDate: '2026-03-01T10:15:00Z' }))
    expect(given.excluded).toEqual(['transactionCreatedDate', 'lastUseDate'])
    expect(check(points).facts.transactionCreatedDate?.source).toBe('chargeback')
  })

  test('the merchant is warned about facts that speak against the merchant', () => {
    const adverse = {
      returnedDate: '2026-03-12',
      deliveryDate: '2026-03-25',
      transactionEarlyFraudWarningFraudType: 'x',
    }
    expect(messages(check(adverse))).toEqual([
      'The goods were returned: consider a refund.',
      'The issuer has reported the payment as fraud.',
      'The delivery is after the dispute.',
    ])
  })

  test('nothing is removed without a contradiction', () => {
    const points = { shippingDate: '2026-03-03', deliveryDate: '2026-03-03T09:00:00Z', refundAmount: '129.90' }
    expect(check({ ...points, threeDsResult: 'Y', eci: '05' })).toMatchObject({ excluded: [], warnings: [] })
  })
})
