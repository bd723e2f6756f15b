import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../../domain/evidence/compose.ts'
import { evidenceDocument } from '../../../../../domain/evidence/document/evidence-document.ts'
import { printedLine } from '../../../../../domain/evidence/document/printed-text.ts'
import { CHARGEBACK, CLAIMS, client, input, psp } from '../evidence-input.ts'
import { documentOf, EARLIER } from './document-input.ts'

const tables = (points: Record<string, unknown>, change = {}) =>
  Object.fromEntries(documentOf(points, change).document.tables.map(({ title, ...one }) => [title, one]))
const cells = (table: { rows: { cells: string[] }[] } | undefined) => table?.rows.map((row) => row.cells)

describe('the document', () => {
  test('names dispute, claim, merchant and amount, and has the kept statements in their order', () => {
    const { document, composed, left } = documentOf()
    expect(document).toMatchObject({
      title: 'Evidence for dispute dp_7',
      merchant: 'Shoes Example Ltd',
      footer: 'Shoes Example Ltd · dispute dp_7 · 129.90 USD',
      // The case table says the one about the payment.
      statements: composed.statements.flatMap(({ text, inCaseTable }) => (inCaseTable ? [] : (text ?? []))),
    })
    expect(document.statements.length).toBeGreaterThan(5)
    expect(left).toEqual([])
    expect(document.case).toContainEqual(['Disputed amount', '129.90 USD'])
    expect(document.case).toContainEqual(['Date of the dispute', '20 March 2026, 08:00 UTC'])
  })

  test('says the reason with its code, and only the code of a claim without a name', () => {
    const subtitle = (play: keyof typeof CLAIMS, reasonCode: string) =>
      documentOf(
        {},
        {
          claim: CLAIMS[play],
          sources: [
            client({ deliveryDate: '2026-03-06', transactionOrderItemsProductName: 'shoes' }),
            { ...CHARGEBACK, points: { ...CHARGEBACK.points, reasonCode } },
          ],
        },
      ).document.subtitle
    expect(subtitle('not_received', '13.1')).toBe('Reason 13.1: goods or services not received')
    expect(subtitle('consumer_general', '4853')).toBe('Reason 4853: consumer dispute')
    expect(subtitle('general', '4999')).toBe('Reason 4999')
  })

  test('does not exist if only the payment is known, which the case table and no answer to a claim is', () => {
    const composed = composeEvidence(input({ sources: [CHARGEBACK], exhibits: [] }))
    expect(composed.statements.filter(({ kept }) => kept).map(({ id }) => id)).toEqual(['payment'])
    expect(evidenceDocument({ composed, merchantName: 'Shoes', exhibits: [] })).toBeNull()
  })

  test('says whose records a statement is from that neither a file nor a table shows', () => {
    const { sources } = documentOf(
      {},
      {
        claim: CLAIMS.fraud_cnp,
        exhibits: [],
        sources: [
          client({ transactionOrderIpAddress: '203.0.113.7', transactionOrderSteamId: 'user-12' }),
          psp({ avsResult: 'Y' }),
          CHARGEBACK,
        ],
      },
    ).document
    expect(sources).toBe(
      'Statement 1 is from the records of the payment provider. Statement 2 is from the records of the merchant.',
    )
    const { document } = documentOf({}, { claim: CLAIMS.fraud_cnp, earlier: EARLIER, exhibits: [] })
    expect(document.statements[0]).toMatch(/^Two earlier payments/)
    expect(document.sources).not.toMatch(/Statements? 1[ ,]/)
    expect(document.tables.find(({ title }) => title.startsWith('Earlier'))?.shows).toBe('Shows statement\u00a01.')
  })

  test('does not exist without a statement', () => {
    const composed = composeEvidence(input({ sources: [], exhibits: [] }))
    expect(evidenceDocument({ composed, merchantName: 'Shoes', exhibits: [] })).toBeNull()
  })

  test('does not print an amount of nothing', () => {
    const points = { ...CHARGEBACK.points, amount: { amount: '0', currency: 'USD' } }
    const { document } = documentOf(
      {},
      { sources: [client({ transactionOrderItemsProductName: 'shoes' }), { ...CHARGEBACK, points }] },
    )
    expect(JSON.stringify(document)).not.toContain('USD')
  })
})

describe('tables', () => {
  test('the timeline has what happened in its order, without what speaks against the merchant', () => {
    const { Timeline } = tables({ returnedDate: '2026-03-10', cancellationDate: '2026-03-02' })
    expect(cells(Timeline)?.map(([, what]) => what)).toEqual([
      ...['Notice of the renewal sent', 'Terms accepted by the customer', 'Payment', 'Download', 'Shipment'],
      ...['Service provided', 'Delivery', 'Last use by the customer', 'Dispute'],
    ])
  })

  test('two payments stand side by side, if the claim is about both', () => {
    expect(cells(tables({}, { claim: CLAIMS.duplicate })['The two payments'])).toEqual([
      ['Payment', 'ch_7', 'ch_8'],
      ['Date', '1 March 2026, 10:15 UTC', '1 March 2026, 10:31 UTC'],
      ['Order', 'A-1001', 'A-1002'],
      ['Goods', 'blue running shoes, size 42', 'black socks'],
    ])
    expect(tables({})['The two payments']).toBeUndefined()
    expect(tables({ duplicateChargeId: null }, { claim: CLAIMS.duplicate })['The two payments']).toBeUndefined()
  })

  test('correspondence is printed newest first, with translations, and a caption only if no sentence says it', () => {
    const message = { from: 'ada@example.com', body: 'Danke' }
    const customerCommunication = [
      { ...message, sent: '2026-03-08', caption: 'said', language: 'de', translation: 'Thanks' },
      { ...message, sent: '2026-03-07', subject: 'Order', caption: 'not said' },
      ...Array.from({ length: 15 }, (_, index) => ({ ...message, sent: '2026-03-02', body: `Mail ${index}` })),
    ]
    const { Correspondence } = tables({ customerCommunication })
    expect(cells(Correspondence)?.slice(0, 2)).toEqual([
      ['8 March 2026', 'ada@example.com', '"Danke" Translation from German: "Thanks"'],
      ['7 March 2026', 'ada@example.com', 'Order: "Danke" (not said)'],
    ])
    expect(Correspondence?.rows).toHaveLength(5)
    expect(Correspondence?.note).toBe('and 12 more messages.')
    expect(Correspondence?.shows).toMatch(/^Shows statement\u00a0\d+\.$/)
  })

  test('events of the client join the timeline; one without a date comes last', () => {
    const timeline = [
      { when: 'in spring', what: 'A call' },
      { when: '2026-03-04', what: 'Parcel sorted' },
    ]
    const rows = cells(tables({ timeline }).Timeline) ?? []
    expect(rows.at(-1)).toEqual(['in spring', 'A call'])
    expect(rows.findIndex(([, what]) => what === 'Parcel sorted')).toBe(
      rows.findIndex(([, what]) => what === 'Shipment') + 1,
    )
  })

  test('of 300 events 25 are printed', () => {
    const timeline = Array.from({ length: 300 }, (_, index) => ({ when: '2026-03-02', what: `Event ${index}` }))
    const { Timeline } = tables({ timeline })
    expect(cells(Timeline)?.filter(([, what]) => what?.startsWith('Event'))).toHaveLength(25)
    expect(Timeline?.note).toBe('and 275 more events.')
  })

  test('two dates are no timeline', () => {
    expect(tables({}, { sources: [client({ transactionOrderItemsProductName: 'shoes' }), CHARGEBACK] })).toEqual({})
  })

  test('an order with 1,000 lines has the 25 with the largest amounts, the total, and the rest as a sum', () => {
    const orderItems = Array.from({ length: 1_000 }, (_, index) => ({
      name: `Item ${index}`,
      quantity: 2,
      amount: `${index}.50`,
    }))
    const { Order } = tables({ orderItems })
    expect(cells(Order)).toHaveLength(26)
    expect(cells(Order)?.at(-1)).toEqual(['Total', '', '500,000.00 USD'])
    expect(cells(Order)?.[0]).toEqual(['Item 999', '2', '999.50 USD'])
    // 0.50 to 974.50
    expect(Order?.note).toBe('and 975 more lines, 475,312.50 USD together.')
  })

  test('lines in two currencies have no sum, and a line without a name is left out', () => {
    const line = (amount: string, index: number) => ({ name: `Item ${index}`, amount })
    const amounts = [...Array(26).fill('9.00 USD'), '1.00 EUR', '1.00 USD']
    const { Order } = tables({ orderItems: [...amounts.map(line), { amount: '7.00' }, null, 'x'] })
    expect(Order?.note).toBe('and 3 more lines.')
    expect(tables({ orderItems: [{ name: ' ' }] }).Order).toBeUndefined()
  })

  test('earlier payments stand next to the disputed one, with what is equal in bold', () => {
    const own = [{ ...CHARGEBACK, points: { ...CHARGEBACK.points, cardLastFourDigits: '4242' } }]
    const data = {
      transactionOrderIpAddress: '203.0.113.7',
      transactionShippingToFullShippingAddress: '12 Mill Lane, LS1 4DY',
    }
    const compared = tables({}, { claim: CLAIMS.fraud_cnp, earlier: EARLIER, sources: [client(data), ...own] })
    expect(compared['Earlier payments with the same card']?.rows).toEqual([
      { cells: ['Date', '1 March 2026, 10:15 UTC', '3 October 2025', '9 November 2025'], strong: false },
      { cells: ['IP address', ...Array(3).fill('203.0.113.7')], strong: true },
      { cells: ['Delivery address', ...Array(3).fill('12 Mill Lane, LS1 4DY')], strong: true },
    ])
  })
})

describe('texts', () => {
  test('of another script are isolated, ASCII is left alone', () => {
    const { document } = documentOf({ transactionShippingToFullShippingAddress: 'شارع الملك فهد 12', orderId: 'طلب 7' })
    expect(document.statements.join('\n')).toContain(' to \u2068شارع الملك فهد 12\u2069 (tracking')
    expect(document.case).toContainEqual(['Order', '\u2068طلب 7\u2069'])
    expect(documentOf().document.statements.join('')).not.toMatch(/[\u2068\u2069]/)
  })

  test('a client’s own full stop is not doubled by an isolate', () => {
    const { document } = documentOf({ transactionOrderItemsProductDescription: 'Schöne Schuhe.' })
    expect(document.statements).toContain('The order was for: \u2068Schöne Schuhe.\u2069')
  })

  test('have no control characters, overrides or lone surrogates', () => {
    expect(printedLine('a\u0000b\u202ec\u2067d\ud800e\u0085f\tg', 100)).toBe('abcdef g')
    const { document } = documentOf({ orderId: 'A\u202e1\u0007' })
    expect(document.case).toContainEqual(['Order', 'A1'])
  })

  test('of more than 60 characters without a space can be broken every 30', () => {
    expect(printedLine('x'.repeat(60), 100)).toBe('x'.repeat(60))
    expect(
      printedLine('x'.repeat(61), 100)
        .split('\u200b')
        .map(({ length }) => length),
    ).toEqual([30, 30, 1])
  })

  test('are cut between characters, and an open isolate is closed', () => {
    expect(printedLine('😀😀😀', 2)).toBe('😀😀 […]')
    expect(printedLine('\u2068שלום עולם\u2069', 5)).toBe('\u2068שלום\u2069 […]')
  })
})

describe('bounds', () => {
  const statement = (id: number, text: string) => ({
    ...{ id: `s${id}`, kept: true, weight: 1 as const, facts: [], text, exhibits: [] },
  })
  const bounded = (texts: string[]) =>
    evidenceDocument({
      composed: { play: 'general', facts: {}, statements: texts.map((text, index) => statement(index, text)) },
      merchantName: 'x'.repeat(5_000),
      exhibits: [],
    })

  test('200 statements become 60, and the others are named', () => {
    const made = bounded(Array.from({ length: 200 }, (_, index) => `Sentence ${index}.`))
    expect(made?.document.statements).toHaveLength(60)
    expect(made?.left).toHaveLength(140)
    expect(made?.left[0]).toBe('s60')
  })

  test('statements are whole or left out: 100 KB in all, 2,000 characters each', () => {
    const made = bounded(['a'.repeat(2_001), ...Array.from({ length: 40 }, () => '語'.repeat(1_500))])
    expect(made?.left[0]).toBe('s0')
    expect(new TextEncoder().encode(made?.document.statements.join('')).length).toBeLessThanOrEqual(100_000)
    expect(made?.document.statements.length).toBeGreaterThan(15)
    expect(JSON.stringify(made?.document).length).toBeLessThan(200_000)
  })
})
