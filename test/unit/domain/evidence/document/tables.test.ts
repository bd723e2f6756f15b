import { describe, expect, test } from 'vitest'
import { CHARGEBACK, CLAIMS, client } from '../evidence-input.ts'
import { documentOf, EARLIER } from './document-input.ts'

const tables = (points: Record<string, unknown>, change = {}) =>
  Object.fromEntries(documentOf(points, change).document.tables.map(({ title, ...one }) => [title, one]))
const cells = (table: { rows: { cells: string[] }[] } | undefined) => table?.rows.map((row) => row.cells)

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
