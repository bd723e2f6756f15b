import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompellingEvidenceInput, compellingEvidence } from '../../../domain/assessment/compelling-evidence.ts'

const postingDate = new Date('2026-06-30T00:00:00Z')
const daysBefore = (days: number) => new Date(postingDate.getTime() - days * 86_400_000).toISOString()

const customer = {
  transactionOrderIpAddress: '203.0.113.9',
  transactionOrderDeviceId: 'device-9',
  transactionShippingToFullShippingAddress: '1 Main St., Springfield, IL 62701',
  transactionOrderSteamId: 'account-9',
  transactionOrderEmail: 'buyer@example.com',
}
const card = { transactionCardLastFourDigits: '4242', transactionCardBin: '424242' }
const purchase = (transactionId: string, more: object = {}) => ({
  transactionId,
  fields: { transactionId, ...card, ...customer, transactionCreatedDate: daysBefore(200), ...more },
})
const two = [purchase('a'), purchase('b')]
const ask = (more: Partial<CompellingEvidenceInput> = {}) =>
  compellingEvidence({
    cardScheme: 'visa',
    reasonCode: '10.4',
    postingDate,
    disputed: { ...card, ...customer },
    earlier: two,
    ...more,
  })

/** The customer with only some identifiers. */
const only = (...names: (keyof typeof customer)[]) => ({
  ...card,
  ...Object.fromEntries(names.map((name) => [name, customer[name]])),
})

describe('Visa compelling evidence 3.0', () => {
  test('two undisputed earlier purchases that share what identifies the customer', () => {
    expect(ask()).toEqual({
      applies: true,
      eligible: true,
      why: 'Two undisputed earlier transactions on the same card share what identifies the customer.',
      matched: Object.keys(customer),
      transactionIds: ['a', 'b'],
      missing: [],
    })
  })

  test('of equal purchases those come first that are old enough from the disputed purchase, too', () => {
    const disputed = { ...card, ...customer, transactionCreatedDate: daysBefore(40) }
    const near = ['a', 'b', 'c'].map((id) => purchase(id, { transactionCreatedDate: daysBefore(130) }))
    const far = ['x', 'y'].map((id) => purchase(id, { transactionCreatedDate: daysBefore(200) }))
    expect(ask({ disputed, earlier: [...near, ...far] }).transactionIds).toEqual(['x', 'y'])
    expect(ask({ disputed, earlier: near }).transactionIds).toEqual(['a', 'b'])
    expect(ask({ earlier: [...near, ...far] }).transactionIds).toEqual(['a', 'b'])
  })

  test('a pair that qualifies without the e-mail address comes first', () => {
    // Visa's identifiers are IP address, device, delivery address and account.
    const mail = { ...only('transactionOrderIpAddress', 'transactionOrderEmail') }
    const visa = { ...only('transactionOrderIpAddress', 'transactionOrderSteamId') }
    const bare = (transactionId: string, fields: object) => ({
      transactionId,
      fields: { transactionId, ...fields, transactionCreatedDate: daysBefore(200) },
    })
    const earlier = [bare('a', mail), bare('b', mail), bare('c', visa), bare('d', visa)]
    expect(ask({ earlier })).toMatchObject({
      ...{ eligible: true, transactionIds: ['c', 'd'] },
      matched: ['transactionOrderIpAddress', 'transactionOrderSteamId'],
    })
    expect(ask({ earlier: earlier.slice(0, 2) })).toMatchObject({ eligible: true, transactionIds: ['a', 'b'] })
  })

  test.each([
    ['another scheme', { cardScheme: 'mastercard' as const }],
    ['another condition', { reasonCode: '10.5' }],
    ['no condition', { reasonCode: null }],
  ])('does not apply to %s', (_, more) => {
    expect(ask(more)).toMatchObject({ applies: false, eligible: false, missing: [] })
  })

  test.each([
    [119, false],
    [120, true],
    [365, true],
    [366, false],
  ])('an earlier purchase %i days before the dispute counts: %s', (days, eligible) => {
    const earlier = [purchase('a'), purchase('b', { transactionCreatedDate: daysBefore(days) })]
    expect(ask({ earlier }).eligible).toBe(eligible)
  })

  test.each([
    ['an IP address and an e-mail', only('transactionOrderIpAddress', 'transactionOrderEmail'), true],
    ['a device and an address', only('transactionOrderDeviceId', 'transactionShippingToFullShippingAddress'), true],
    ['an IP address and a device', only('transactionOrderIpAddress', 'transactionOrderDeviceId'), true],
    ['an e-mail and an account', only('transactionOrderEmail', 'transactionOrderSteamId'), false],
    ['an IP address alone', only('transactionOrderIpAddress'), false],
  ])('%s of the disputed purchase', (_, disputed, eligible) => {
    expect(ask({ disputed }).eligible).toBe(eligible)
  })

  test('the same two identifiers must be equal in all three purchases', () => {
    const [mail, device, ip] = ['transactionOrderEmail', 'transactionOrderDeviceId', 'transactionOrderIpAddress']
    const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'other']))
    const rest = without('transactionOrderSteamId', 'transactionShippingToFullShippingAddress')
    // One shares IP and e-mail, the other device and e-mail: e-mail alone is common to all.
    const earlier = [
      purchase('a', { ...rest, ...without(device as string) }),
      purchase('b', { ...rest, ...without(ip as string) }),
    ]
    expect(ask({ earlier })).toMatchObject({ eligible: false, matched: [] })
    const third = purchase('c', { ...rest, ...without(mail as string) })
    expect(ask({ earlier: [...earlier, third] }).eligible).toBe(false)
    const fourth = purchase('d', { ...rest, ...without(device as string) })
    expect(ask({ earlier: [...earlier, third, fourth] })).toMatchObject({
      eligible: true,
      matched: [ip, mail],
      transactionIds: ['a', 'd'],
    })
  })

  test.each([
    ['another card by its last digits', { transactionCardLastFourDigits: '1111' }],
    ['another card by its BIN', { transactionCardBin: '400000' }],
    ['another card by its fingerprint', { transactionCardFingerprint: 'f-2' }],
    ['a fraud warning', { transactionEarlyFraudWarningFraudType: 'made_with_stolen_card' }],
    ['a payment that failed', { transactionStatus: 'declined' }],
    ['no date', { transactionCreatedDate: '' }],
  ])('%s does not count', (_, more) => {
    const disputed = { ...card, ...customer, transactionCardFingerprint: 'f-1' }
    const [a, b] = ['a', 'b'].map((id) => purchase(id, { transactionCardFingerprint: 'f-1' }))
    const different = purchase('b', { transactionCardFingerprint: 'f-1', ...more })
    expect(ask({ disputed, earlier: [a, b] as typeof two }).eligible).toBe(true)
    // If both have a fingerprint, it decides, so the other facts of the card are tested without one.
    const given = _.includes('fingerprint')
      ? { disputed, earlier: [a, different] as typeof two }
      : { earlier: [purchase('a'), purchase('b', more)] }
    expect(ask(given)).toMatchObject({ eligible: false, missing: [expect.stringMatching(/^1 more undisputed/)] })
  })

  test('a BIN of six digits and one of eight are the same card', () => {
    const earlier = two.map(({ transactionId }) => purchase(transactionId, { transactionCardBin: '42424299' }))
    expect(ask({ earlier }).eligible).toBe(true)
  })

  test('case, punctuation and white space do not matter', () => {
    const spelled = {
      transactionOrderEmail: 'BUYER@example.com ',
      transactionShippingToFullShippingAddress: '1 main st Springfield IL  62701',
    }
    const earlier = two.map(({ transactionId }) => purchase(transactionId, spelled))
    expect(ask({ earlier }).matched).toEqual(Object.keys(customer))
  })

  test('an address in parts counts as an address', () => {
    const parts = {
      transactionShippingToFullShippingAddress: '',
      transactionShippingToAddressLine1: '1 Main St',
      transactionShippingToState: 'IL',
      transactionShippingToZipCode: '62701',
    }
    const disputed = { ...only('transactionOrderDeviceId'), ...parts }
    expect(ask({ disputed, earlier: [purchase('a', parts), purchase('b', parts)] })).toMatchObject({
      eligible: true,
      matched: ['transactionOrderDeviceId', 'transactionShippingToFullShippingAddress'],
    })
  })

  test.each(['Springfield', 'Springfield, US', 'Springfield, 62701'])('a city is no address: %s', (city) => {
    const address = { transactionShippingToFullShippingAddress: city }
    const disputed = { ...only('transactionOrderDeviceId'), ...address }
    const earlier = [purchase('a', address), purchase('b', address)]
    expect(ask({ disputed, earlier })).toMatchObject({ eligible: false, matched: [] })
    const parts = { transactionShippingToAddressLine1: '1 Main St', transactionShippingToZipCode: '62701' }
    expect(ask({ disputed: { ...disputed, ...parts }, earlier })).toMatchObject({ eligible: false })
    const inParts = [purchase('a', { ...address, ...parts }), purchase('b', { ...address, ...parts })]
    expect(ask({ disputed: { ...disputed, ...parts }, earlier: inParts })).toMatchObject({ eligible: true })
  })

  test('says what is missing', () => {
    expect(ask({ disputed: {} }).missing).toEqual([
      expect.stringMatching(/^A record of the disputed transaction with at least two of .*transactionOrderIpAddress/),
    ])
    expect(ask({ postingDate: null }).missing).toEqual(['The date on which the chargeback was posted.'])
    expect(ask({ earlier: [] }).missing).toEqual([
      '2 more undisputed transactions on the same card, 120 to 365 days before the chargeback.',
    ])
    const strangers = two.map(({ transactionId }) =>
      purchase(transactionId, { transactionOrderDeviceId: transactionId, transactionOrderIpAddress: '' }),
    )
    expect(ask({ earlier: strangers }).missing).toEqual([
      expect.stringMatching(/^Two of the 2 undisputed transactions/),
    ])
  })

  test('the order of the records changes nothing, and more of them never make it ineligible', () => {
    const records = fc.array(
      fc.record({
        transactionId: fc.stringMatching(/^[a-z]{1,3}$/),
        fields: fc.record(
          {
            transactionCardLastFourDigits: fc.constantFrom('4242', '1111'),
            transactionCreatedDate: fc.integer({ min: 100, max: 400 }).map(daysBefore),
            transactionOrderIpAddress: fc.constantFrom('203.0.113.9', '203.0.113.1'),
            transactionOrderDeviceId: fc.constantFrom('device-9', 'device-1'),
            transactionOrderEmail: fc.constantFrom('buyer@example.com', 'other@example.com'),
          },
          { requiredKeys: ['transactionCardLastFourDigits', 'transactionCreatedDate'] },
        ),
      }),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(records, records, (some, more) => {
        const ids = new Set<string>()
        const earlier = some.filter(({ transactionId }) => !ids.has(transactionId) && ids.add(transactionId))
        expect(ask({ earlier: earlier.toReversed() })).toEqual(ask({ earlier }))
        if (ask({ earlier }).eligible) expect(ask({ earlier: [...earlier, ...more] }).eligible).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
