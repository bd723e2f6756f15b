import { describe, expect, test } from 'vitest'
import { shortLog } from '../../../../../domain/evidence/texts/activity-log.ts'
import { wholeSentences } from '../../../../../domain/evidence/texts/prose.ts'
import { readDate } from '../../../../../domain/evidence/written-dates.ts'
import { CHARGEBACK, CLAIMS, client, FULL, psp, record } from '../evidence-input.ts'
import { definitionOf, filled } from './filled.ts'

const stripe = (points: Record<string, unknown>) => filled('stripe', points).texts
const braintree = (points: Record<string, unknown>) => filled('braintree', points)

describe('a data point that is named like the field', () => {
  test.each(['uncategorized_text', 'uncategorizedText'])('%s replaces the sentences', (name) =>
    expect(stripe({ ...FULL, [name]: 'Our own  words.' }).uncategorized_text).toBe('Our own words.'),
  )

  test('of operation 4 counts before one of operation 1, whatever the order of names', () => {
    const sources = [client({ notes: 'four' }), record({ notes: 'one' }), CHARGEBACK]
    expect(filled('paypal', {}, { sources }).texts.notes).toBe('four')
    const both = { trackingNumber: '2', tracking_number: '1', carrier_name: 'DHL' }
    const turned = Object.fromEntries(Object.entries(both).reverse())
    for (const points of [both, turned]) expect(filled('paypal', points).texts.tracking_number).toBe('1')
  })

  test('fills a field that no fact fills', () =>
    expect(braintree({ RECURRING_TRANSACTION_ARN: '7', RECURRING_TRANSACTION_DATE_TIME: '2026-03-01' }).texts).toEqual({
      GENERAL: expect.any(String),
      ...{ RECURRING_TRANSACTION_ARN: '7', RECURRING_TRANSACTION_DATE_TIME: '2026-03-01' },
    }))

  test('is not used if it is empty, a list or an object', () => {
    for (const value of ['', ' \u0000', ['a'], { a: 1 }, null])
      expect(stripe({ ...FULL, uncategorized_text: value }).uncategorized_text).toMatch(/^The order was delivered/)
  })

  test('never sends a card number', () => {
    const points = { uncategorized_text: 'Card 4242 4242 4242 4242.', shipping_tracking_number: '4242424242424242' }
    expect(JSON.stringify(stripe(points))).not.toContain('4242424242424242')
    expect(stripe(points).uncategorized_text).toBe('Card •••• 4242.')
  })

  test('up to the PSP’s limit, while the same words under another name are for an issuer with minutes', () => {
    const words = 'It was sent. '.repeat(200)
    expect(stripe({ product_description: words }).product_description).toHaveLength(words.length - 1)
    expect(stripe({ transactionOrderItemsProductDescription: words }).product_description?.length).toBeLessThan(1_001)
  })
})

describe('earlier purchases', () => {
  const matched = ['transactionOrderIpAddress', 'transactionShippingToFullShippingAddress']
  const fields = {
    ...{ transactionCreatedDate: '2025-11-09T08:30:00Z', transactionArn: '74027985313000000000017' },
    ...{ transactionOrderIpAddress: '203.0.113.7', transactionOrderEmail: 'other@example.com' },
    transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  }
  const prior = (shared: string[], points = FULL, more: object = {}) => {
    const earlier = {
      ...{ dates: ['3 October 2025', '9 November 2025'], matched: shared },
      latest: { transactionId: 'tr_earlier', fields: { ...fields, ...more } },
    }
    const { texts } = filled('braintree', points, { claim: CLAIMS.fraud_cnp, earlier })
    return Object.fromEntries(Object.entries(texts).filter(([field]) => field.startsWith('PRIOR_')))
  }

  test('are data at Braintree: one of them, with what it shares with the disputed one', () => {
    const name = (part: string) => `PRIOR_NON_DISPUTED_TRANSACTION_${part}`
    expect(prior(matched)).toEqual({
      ...{ [name('ID')]: 'tr_earlier', [name('ARN')]: '74027985313000000000017' },
      ...{ [name('DATE_TIME')]: '2025-11-09T08:30:00Z', [name('IP_ADDRESS')]: '203.0.113.7' },
      [name('PHYSICAL_ADDRESS')]: '12 Mill Lane, Leeds, LS1 4DY, GB',
    })
    expect(prior(['transactionOrderIpAddress', 'transactionOrderEmail'])).toEqual({})
    const contradicted = { ...FULL, transactionShippingToZipCode: 'OX1 1AA' }
    expect(prior(matched, contradicted)).toEqual({})
    expect(prior([...matched, 'transactionOrderSteamId'], contradicted)).not.toHaveProperty([name('PHYSICAL_ADDRESS')])
    const inParts = { transactionShippingToAddressLine1: '12 Mill Lane', transactionShippingToZipCode: 'LS1 4DY' }
    const city = { transactionShippingToFullShippingAddress: 'Leeds, GB', ...inParts }
    expect(prior(matched, FULL, city)).toMatchObject({ [name('PHYSICAL_ADDRESS')]: '12 Mill Lane, LS1 4DY' })
  })
})

describe('facts', () => {
  test('that contradict each other fill no field', () => {
    const { shipping_date, shipping_carrier } = stripe({ ...FULL, shippingDate: '2026-03-09' })
    expect([shipping_date, shipping_carrier]).toEqual([undefined, 'DHL'])
  })

  test('that Stripe reported stay Stripe’s own', () => {
    const sources = [client({ customerName: 'Ada' }), psp({ transactionOrderEmail: 'a@example.com' }), CHARGEBACK]
    const { texts } = filled('stripe', {}, { sources })
    expect([texts.customer_name, texts.customer_email_address]).toEqual(['Ada', undefined])
    expect(filled('braintree', {}, { sources }).texts.PURCHASER_EMAIL_ADDRESS).toBe('a@example.com')
  })

  test('the billing address only if the address check passed', () => {
    const points = { billingAddress: '1 Bank Street' }
    expect(stripe({ ...points, avsResult: 'Y' }).billing_address).toBe('1 Bank Street')
    const { texts, leftOut } = filled('stripe', { ...points, avsResult: 'N' })
    expect(texts.billing_address).toBeUndefined()
    expect(leftOut).toContainEqual({ field: 'billing_address', why: 'it needs addressMatched' })
  })

  test('a refund stands where Stripe asks why none was given', () => {
    const texts = stripe({ refundDate: '2026-03-04', refundAmount: '12.00 USD' })
    expect(texts.refund_refusal_explanation).toMatch(/^12\.00 USD was refunded on 4 March 2026, before the dispute/)
  })

  test('several identifiers are separated by commas, each once, and as many as fit whole', () => {
    const numbers = ['1Z1', '1Z2', '1Z1', 'x'.repeat(300)]
    const points = { shippingCarrier: 'UPS', shippingTrackingNumber: numbers }
    expect(stripe(points).shipping_tracking_number).toBe('1Z1, 1Z2')
    expect(stripe(points).uncategorized_text).toContain('tracking number 1Z1, 1Z2, 1Z1')
    expect(filled('paypal', points).texts.tracking_number).toBe('1Z1, 1Z2')
    expect(braintree(points).texts.TRACKING_NUMBER).toBe('1Z1, 1Z2')
  })

  test('a value that is longer than a short field is left out, not cut', () => {
    const { texts, leftOut } = braintree({ geographicalLocation: 'x'.repeat(51) })
    expect(texts.GEOGRAPHICAL_LOCATION).toBeUndefined()
    expect(leftOut).toContainEqual({ field: 'GEOGRAPHICAL_LOCATION', why: 'it is longer than 50 characters' })
  })
})

describe('texts that a PSP refuses alone', () => {
  test('Braintree: a download needs two companions, a device its download', () => {
    const download = { downloadDate: '2026-03-01T13:20:00+02:00', transactionOrderDeviceId: 'd', deviceName: 'phone' }
    const names = (points: Record<string, unknown>) => Object.keys(braintree(points).texts).sort()
    expect(names(download)).toEqual(['GENERAL'])
    const person = { customerName: 'Ada', transactionOrderEmail: 'a@example.com' }
    expect(braintree({ ...download, ...person }).texts).toMatchObject({
      ...{ DOWNLOAD_DATE_TIME: '2026-03-01T13:20:00+02:00', DEVICE_ID: 'd', DEVICE_NAME: 'phone' },
    })
    expect(names({ ...download, ...person, transactionOrderEmail: 'none' })).toEqual(['GENERAL', 'PURCHASER_NAME'])
  })

  test('PayPal: carrier and tracking number together', () => {
    const { texts, leftOut } = filled('paypal', { shippingCarrier: 'DHL', tracking_url: 'https://example.com/1' })
    expect(Object.keys(texts)).toEqual(['notes'])
    expect(leftOut.map(({ field }) => field)).toEqual(['carrier_name', 'tracking_url'])
  })
})

describe('a log', () => {
  const entry = (day: number) => `2026-03-${String(day).padStart(2, '0')} ${'page '.repeat(20)}`
  const log = Array.from({ length: 31 }, (_, index) => entry(index + 1)).join('\n')
  const days = (text: string | null) => [...(text ?? '').matchAll(/03-(\d\d)/g)].map(([, day]) => Number(day))

  test('that fits is not shortened', () => expect(shortLog('a\n\n b', null, 10)).toBe('a\nb'))

  test('shows its first and last entries, and the five nearest the purchase', () => {
    const text = shortLog(log, readDate('2026-03-20'), 1_200)
    expect(days(text)).toEqual([1, 18, 19, 20, 21, 22, 31])
    expect(text).toMatch(/\n\[24 of 31 entries left out\]$/)
  })

  test('without a purchase date or readable times shows the entries after the first', () => {
    expect(days(shortLog(log, null, 1_200))).toEqual([1, 2, 3, 4, 5, 6, 31])
    const lines = Array.from({ length: 90 }, (_, index) => `entry ${index} of the log`).join('; ')
    expect(shortLog(lines, readDate('2026-03-20'), 300)).toMatch(/^entry 0 of.*; entry 5 of the log; entry 89.*out\]$/)
  })
})

describe('whole sentences', () => {
  test.each([
    ['One is here. Two is here. Three is here.', 'One is here. Two is here. […]'],
    [
      'これは一つ目の文です。これは二つ目の文です。これは三つ目の文です。',
      'これは一つ目の文です。これは二つ目の文です。 […]',
    ],
    ['यह पहला वाक्य है। यह दूसरा है। यह तीसरा वाक्य है।', 'यह पहला वाक्य है। यह दूसरा है। […]'],
    ['a sentence without an end in thirty characters', 'a sentence without an […]'],
    ['x'.repeat(99), null],
  ])('of %s', (text, expected) =>
    expect(wholeSentences(text, expected === null ? 30 : expected.length + 3)).toBe(expected),
  )
})

test('all texts together keep the PSP’s total, the most important first', () => {
  const limits = definitionOf('stripe').evidence
  const long = 'This sentence has forty-four characters now. '.repeat(440)
  const names = Object.keys(limits?.textFields ?? {}).map((field) => [field, long])
  const { texts } = filled('stripe', Object.fromEntries(names))
  const total = Object.values(texts).reduce((sum, text) => sum + text.length, 0)
  expect(total).toBeLessThanOrEqual(limits?.maxTextCharacters ?? 0)
  expect(texts.uncategorized_text).toHaveLength(long.length - 1)
})

test('what issuers read in minutes: a summary of 1,500 characters, a log of 3,000, notes with room for a mark', () => {
  const long = 'It is as it was. '.repeat(100)
  const names = ['descriptionRebuttal', 'cancellationRebuttal', 'refundPolicyDisclosure', 'customerName'] as const
  const points = {
    ...FULL,
    ...Object.fromEntries(names.map((name) => [name, long])),
    accessActivityLog: long.repeat(9),
  }
  const { uncategorized_text: summary = '', access_activity_log: log = '' } = stripe(points)
  expect([summary.length <= 1_500, summary.length > 500, log.length <= 3_000]).toEqual([true, true, true])
  expect(filled('paypal', points).texts.notes?.length).toBeLessThanOrEqual(1_950)
})
