import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { composeEvidence, type EvidenceInput } from '../../../../domain/evidence/compose.ts'
import { EXHIBIT_KINDS } from '../../../../domain/evidence/fact-catalogue.ts'
import { PLAY_IDS } from '../../../../domain/evidence/playbooks/playbook.ts'
import { CHARGEBACK, CLAIMS, client, FULL, input, kept, psp } from './evidence-input.ts'

const { deliveryDate: _, ...UNDELIVERED } = FULL
const compose = (points: object, change: Parameters<typeof input>[0] = {}) =>
  composeEvidence(input({ sources: [client({ ...points }), CHARGEBACK], ...change }))

describe('statements', () => {
  test('a sentence is dropped if a fact is missing, removed or contradicted, or if its file is missing', () => {
    const why = (points: object, id: string, exhibits = input().exhibits) =>
      compose(points, { exhibits }).statements.find((one) => one.id === id)
    expect(why(UNDELIVERED, 'delivered')).toEqual({
      ...{ id: 'delivered', kept: false, weight: 3, facts: [], why: 'missing: deliveryDate', exhibits: [] },
    })
    expect(why({ ...FULL, deliveryDate: 'x' }, 'delivered')).toMatchObject({
      kept: false,
      why: 'excluded: deliveryDate',
    })
    expect(why(FULL, 'signed', ['receipt'])).toMatchObject({ kept: false, why: 'excluded: deliverySignedBy' })
    const { cancellationRebuttal: _a, refundRefusalExplanation: _b, descriptionRebuttal: _c, ...silent } = FULL
    expect(why(silent, 'contact', ['receipt'])).toMatchObject({ kept: false, why: 'no file: communication' })
    const due = { ...FULL, expectedDeliveryDate: '2026-05-01' }
    expect(why(due, 'not_due')).toMatchObject({ kept: false, why: 'missing: deliveryNotDue' })
  })

  test('a kept sentence names its weight and the facts that its text uses', () => {
    const { statements } = compose({ ...UNDELIVERED, shippingDate: undefined })
    const facts = ['shippingCarrier', 'shippingTrackingNumber']
    expect(statements.find(({ id }) => id === 'shipped')).toMatchObject({ kept: true, weight: 2, facts })
  })

  test('a fact that contradicts a sentence drops it, even if that fact is removed', () => {
    const undue = { ...UNDELIVERED, expectedDeliveryDate: '2026-05-01' }
    const notDue = (points: object) => compose(points).statements.find(({ id }) => id === 'not_due')
    expect(notDue(undue)).toMatchObject({
      kept: true,
      text: expect.stringContaining('agreed for 1 May 2026, after the dispute of 20 March 2026.'),
    })
    expect(notDue({ ...undue, deliveryDate: 'x' })).toMatchObject({ kept: false, why: 'contradicted by: deliveryDate' })
  })

  test('of a long log the first entry, the last and those nearest the purchase, or the cancellation, are said', () => {
    const entry = (index: number) => {
      const at = new Date(Date.parse('2026-01-01T09:00:00Z') + index * 86_400_000).toISOString()
      return `${at.slice(0, 16)}Z sign-in ${index}`
    }
    const log = Array.from({ length: 90 }, (_, index) => entry(index)).join('\n')
    const said = (cancellationDate?: string) =>
      compose({ ...FULL, accessActivityLog: log, cancellationDate }).statements.find(({ id }) => id === 'activity')
        ?.text
    const of = (...days: number[]) =>
      `The activity log shows: ${[0, ...days, 89].map(entry).join('; ')}; [83 of 90 entries left out].`
    // The purchase was on 1 March, day 59.
    expect(said()).toBe(of(57, 58, 59, 60, 61))
    expect(said('2026-03-12')).toBe(of(68, 69, 70, 71, 72))
  })

  test('what was paid or provided before a cancellation is said first, and not after one', () => {
    const first = (play: 'recurring' | 'cancelled', cancellationDate: string) =>
      Object.values(
        kept({
          claim: CLAIMS[play],
          sources: [client({ ...FULL, cancellationDate, lastUseDate: undefined }), CHARGEBACK],
        }),
      )[0]
    expect(first('recurring', '2026-03-02')).toBe(
      'The payment of 1 March 2026 was made before the cancellation of 2 March 2026.',
    )
    expect(first('recurring', '2026-03-01')).toBe(FULL.cancellationRebuttal)
    expect(first('cancelled', '2026-03-06')).toBe(
      'The service was provided on 5 March 2026, before the cancellation of 6 March 2026.',
    )
    expect(first('cancelled', '2026-03-05')).toBe(FULL.cancellationRebuttal)
  })

  test('sentences name only files that exist', () => {
    for (const play of PLAY_IDS)
      for (const { exhibits } of compose(FULL, { claim: CLAIMS[play], exhibits: ['delivery'] }).statements)
        expect(['', 'delivery']).toContain(exhibits.join())
  })

  test('refund and withdrawal come before every play; a refund after the dispute is not presented as earlier', () => {
    const refund = { refundAmount: 12, refundDate: '2026-03-04', customerWithdrewDate: '2026-03-25' }
    for (const play of PLAY_IDS) {
      const ids = Object.keys(kept({ claim: CLAIMS[play], sources: [client({ ...FULL, ...refund }), CHARGEBACK] }))
      expect(ids.slice(0, 2)).toEqual(['withdrawn', 'refunded'])
    }
    const late = kept({ sources: [client({ ...refund, refundDate: '2026-03-22' }), CHARGEBACK] })
    expect(late.refunded).toBe('12.00 USD was refunded on 22 March 2026.')
  })

  test.each([
    ['Y', 'visa', true],
    ['M', 'visa', true],
    ['match', 'discover', true],
    // At American Express, M is about the name; at Discover, Y is about the address alone.
    ['M', 'amex', false],
    ['Y', 'discover', false],
    ['A', 'visa', false],
    ['address_match', 'visa', false],
    ['N', 'visa', false],
  ])('address check %s at %s: %s', (avsResult, cardScheme, stated) => {
    const { points } = CHARGEBACK
    const sources = [psp({ avsResult }), { ...CHARGEBACK, points: { ...points, cardScheme } }]
    expect('address_matched' in kept({ claim: CLAIMS.fraud_cnp, sources })).toBe(stated)
  })

  test('3-D Secure: the result decides, and an ECI is named only if it agrees', () => {
    const secure = (points: object) => kept({ claim: CLAIMS.fraud_cnp, sources: [psp({ ...points }), CHARGEBACK] })
    expect(secure({ threeDsResult: 'authenticated', eci: '05' }).authenticated).toMatch(/\(ECI 05\)/)
    expect(secure({ threeDsResult: 'A', eci: '06' })).toHaveProperty('authentication_attempted')
    expect(secure({ threeDsResult: 'Y', eci: '99' }).authenticated).toBe(
      'The cardholder was authenticated by 3-D Secure.',
    )
    for (const points of [
      { threeDsResult: 'N' },
      { eci: '05' },
      { threeDsResult: 'Y', eci: '07' },
      { threeDsResult: '?' },
    ])
      expect(Object.keys(secure(points)).filter((id) => id.startsWith('authenticat'))).toEqual([])
  })

  test('earlier purchases are stated only with two of Visa’s identifiers; the e-mail address is not one', () => {
    const dates = ['3 October 2025', '9 November 2025']
    const stated = (matched: string[]) =>
      'earlier_purchases' in kept({ claim: CLAIMS.fraud_cnp, earlier: { dates, matched } })
    expect(stated(['transactionOrderIpAddress', 'transactionOrderSteamId'])).toBe(true)
    expect(stated(['transactionOrderIpAddress', 'transactionOrderEmail'])).toBe(false)
    expect(stated(['transactionShippingToFullShippingAddress', 'transactionOrderSteamId'])).toBe(false)
  })

  test('earlier purchases are not compared by what is contradicted', () => {
    const earlier = {
      dates: ['3 October 2025', '9 November 2025'],
      matched: ['transactionOrderIpAddress', 'transactionShippingToFullShippingAddress', 'transactionOrderSteamId'],
    }
    const said = (points: object, matched = earlier.matched) =>
      kept({
        claim: CLAIMS.fraud_cnp,
        sources: [client({ ...FULL, transactionShippingToZipCode: 'OX1 1AA', ...points }), CHARGEBACK],
        earlier: { ...earlier, matched },
      }).earlier_purchases
    expect(said({})).toContain('had the same IP address and customer account as this one')
    expect(said({}, earlier.matched.slice(0, 2))).toBeUndefined()
    expect(said({ transactionShippingToZipCode: 'LS1 4DY' })).toContain('IP address, delivery address and')
  })

  test('what the customer was shown is the client’s description, not the PSP’s', () => {
    const name = 'transactionOrderItemsProductDescription'
    const ids = (...sources: EvidenceInput['sources']) => Object.keys(kept({ claim: CLAIMS.not_described, sources }))
    const [own, reported] = [client({ [name]: 'Shoes' }), psp({ [name]: 'Order 1001.' })]
    expect(ids(own, reported)).toContain('as_shown')
    expect(ids(own, reported)).not.toContain('description_enclosed')
    expect(ids(reported)).not.toContain('as_shown')
    expect(ids(reported)).toContain('description_enclosed')
  })

  test('an approval names the authorized amount if it is known', () => {
    const approved = (points: object) =>
      kept({ claim: CLAIMS.authorization, sources: [client({ ...FULL, ...points }), CHARGEBACK] }).approved
    const payment = 'the payment of 1 March 2026, 10:15 UTC with the authorization code 123456.'
    expect(approved({ authorizedAmount: '150.00' })).toBe(`The card issuer approved 150.00 USD for ${payment}`)
    expect(approved({ authorizedAmount: '100.00' })).toBe(`The card issuer approved ${payment}`)
    expect(approved({})).toBe(`The card issuer approved ${payment}`)
  })

  test('a receipt is enclosed; what it shows is not claimed', () => {
    expect(kept({ claim: CLAIMS.amount }).receipt_amount).toBe(
      'The receipt of the sale is enclosed; the disputed amount is 129.90 USD.',
    )
  })

  test('compliance cases have no statements and need a person', () => {
    expect(compose(FULL, { claim: CLAIMS.compliance })).toMatchObject({ manualOnly: true, completeness: 0 })
    expect(kept({ claim: CLAIMS.compliance })).toEqual({})
  })
})

describe('any data', () => {
  const names = [
    ...[...Object.keys(FULL), 'refundAmount', 'refundDate', 'returnedDate', 'expectedDeliveryDate'],
    ...['orderItems', 'customerCommunication', 'timeline', 'customerWithdrewDate'],
  ]
  const entry = fc.dictionary(
    fc.constantFrom('name', 'amount', 'quantity', 'sent', 'body', 'when', 'what', 'toString'),
    fc.json().map((text) => JSON.parse(text)),
  )
  const value = fc.oneof(
    fc.json().map((text) => JSON.parse(text)),
    fc.string({ unit: 'binary' }),
    fc.date().map(String),
    fc.array(entry),
  )
  const points = fc.dictionary(fc.constantFrom(...names), value)

  test('never throws, never prints an invalid value, and the order of names is irrelevant', () => {
    fc.assert(
      fc.property(points, fc.constantFrom(...PLAY_IDS), fc.subarray([...EXHIBIT_KINDS]), (some, play, exhibits) => {
        const change = { claim: CLAIMS[play], exhibits }
        const one = compose({ ...FULL, ...some }, change)
        const reversed = Object.fromEntries(Object.entries({ ...FULL, ...some }).reverse())
        expect(compose(reversed, { ...change, exhibits: exhibits.toReversed() })).toEqual(one)
        for (const { text = '-' } of one.statements)
          expect(text).not.toMatch(/^$|undefined|\[object Object|\p{Surrogate}/u)
      }),
      { numRuns: 200 },
    )
  })
})
