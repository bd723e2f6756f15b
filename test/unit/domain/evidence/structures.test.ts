import { describe, expect, test } from 'vitest'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { gatherFacts } from '../../../../domain/evidence/gather-facts.ts'
import { tablesOf } from '../../../../domain/evidence/structures/tables.ts'
import { parseSentence, renderSentence } from '../../../../domain/evidence/templates.ts'
import { CHARGEBACK, client, input, kept, messages, NOW, psp, record } from './evidence-input.ts'

const gather = (points: Record<string, unknown>) => gatherFacts([client(points), CHARGEBACK], NOW)
const rows = (points: Record<string, unknown>) => tablesOf(gather(points).facts).flatMap((table) => table.rows)
const compose = (points: Record<string, unknown>) =>
  composeEvidence(input({ sources: [client(points), CHARGEBACK], exhibits: [] }))
const said = (points: Record<string, unknown>, change = {}) =>
  kept({ sources: [client(points), CHARGEBACK], exhibits: [], ...change })

const shoes = { name: 'running shoes', quantity: 2, amount: '59.90 USD', sku: 'S-42' }

describe('order lines', () => {
  test('name, quantity, amount of the line and article number, the largest amount first, then the total', () => {
    expect(rows({ orderItems: [{ name: 'socks', amount: 10 }, shoes, { name: 'bag' }] })).toEqual([
      '2 × running shoes (S-42): 59.90 USD',
      'socks: 10.00 USD',
      'bag',
    ])
    expect(rows({ orderItems: [{ name: 'socks', amount: 10 }, shoes] }).at(-1)).toBe('Total: 69.90 USD')
    expect(rows({ orderItems: shoes })).toEqual(['2 × running shoes (S-42): 59.90 USD'])
  })

  test('of 1,000 lines the 25 largest, and what the others add up to', () => {
    const orderItems = Array.from({ length: 1_000 }, (_, index) => ({ name: `item ${index}`, amount: index + 1 }))
    const table = rows({ orderItems })
    expect(table).toHaveLength(27)
    expect(table.slice(0, 2)).toEqual(['item 999: 1,000.00 USD', 'item 998: 999.00 USD'])
    expect(table.slice(-2)).toEqual(['975 more lines: 475,800.00 USD', 'Total: 500,500.00 USD'])
  })

  test('no sum over several currencies, and none over lines without an amount', () => {
    const other = { name: 'kimono', amount: '9000 JPY' }
    expect(rows({ orderItems: [shoes, other] })).toEqual(['kimono: 9,000 JPY', '2 × running shoes (S-42): 59.90 USD'])
    expect(rows({ orderItems: [shoes, { name: 'bag', amount: '5 XXX' }] })).not.toContainEqual(
      expect.stringMatching(/Total|XXX/),
    )
  })

  test('are the goods if the client sent no description; an order number of the PSP does not beat them', () => {
    const orderItems = [shoes, ...Array.from({ length: 7 }, () => ({ name: 'socks', amount: 1 }))]
    const words = 'The order was for: 2 × running shoes, socks, socks, socks, socks and 3 more.'
    expect(said({ orderItems }).ordered).toBe(words)
    const description = { transactionOrderItemsProductDescription: 'Order 1001' }
    expect(kept({ sources: [client({ orderItems }), psp(description), CHARGEBACK] }).ordered).toBe(words)
    expect(kept({ sources: [client({ orderItems }), record(description), CHARGEBACK] }).ordered).toContain('Order 1001')
    expect(said({ orderItems, transactionOrderItemsProductName: { bad: 1 } }).ordered).toBeUndefined()
    expect(gather({ orderItems }).facts.goods).toMatchObject({ source: 'client', name: 'orderItems' })
  })

  test('what can’t be read is left out and named by index, never an error', () => {
    const { facts, warnings } = gather({
      orderItems: [shoes, 'socks', { quantity: 1 }, { name: 'bag', quantity: { toString: 1 }, amount: '1,200' }],
    })
    expect(messages({ warnings })).toEqual([
      'orderItems[1] is no object.',
      'orderItems[2].name is missing.',
      'orderItems[3].quantity is no number.',
      'orderItems[3].amount is no amount: send it as "12.00 USD".',
    ])
    expect(tablesOf(facts)[0]?.rows).toEqual(['2 × running shoes (S-42): 59.90 USD', 'bag'])
    const many = gather({ orderItems: Array.from({ length: 1_000 }, () => 'x') })
    expect(messages(many).slice(-2)).toEqual(['orderItems[4] is no object.', 'orderItems has 995 more faults.'])
    expect(many.excluded).toEqual(['orderItems'])
    expect(messages(gather({ orderItems: 'shoes' }))).toEqual(['orderItems is no list of objects.'])
    expect(gather({ orderItems: [] })).toMatchObject({ warnings: [], excluded: [] })
  })

  test('an article number keeps its digits, a card number is left out', () => {
    expect(rows({ orderItems: [{ name: 'a', sku: '9999999999999995' }] })).toEqual(['a (9999999999999995)'])
    const card = gather({ orderItems: [{ name: 'a', sku: '4242424242424242' }] })
    expect(messages(card)).toEqual(['orderItems[0].sku looks like a card number: never send one.'])
    expect(JSON.stringify(tablesOf(card.facts))).not.toContain('4242')
  })
})

const mail = { sent: '2026-03-07T09:00:00Z', from: 'ada@example.com', to: 'shop@example.com', subject: 'Thanks' }

describe('correspondence', () => {
  test('newest first, each message once, quoted mails left out', () => {
    const reply = {
      ...mail,
      sent: '2026-03-08',
      from: 'shop@example.com',
      body: 'You are welcome.\n> Great shoes.\n> Ada',
    }
    const customerCommunication = [{ ...mail, body: 'Great shoes.' }, reply, { ...mail, body: 'Great shoes.' }]
    expect(rows({ customerCommunication })).toEqual([
      '8 March 2026, from shop@example.com, to shop@example.com: Thanks: "You are welcome. […]"',
      '7 March 2026, 09:00 UTC, from ada@example.com, to shop@example.com: Thanks: "Great shoes."',
    ])
  })

  test('a translation stands next to the original words', () => {
    const written = (language: unknown) =>
      rows({ customerCommunication: { sent: '2026-03-07', body: 'Danke', language, translation: 'Thanks' } })[0]
    expect(written('de')).toBe('7 March 2026: "Danke" Translation from de: "Thanks"')
    expect(written('German!')).toBe('7 March 2026: "Danke" Translation: "Thanks"')
  })

  test('of 200 messages the newest 20, those with a caption before all', () => {
    const customerCommunication = Array.from({ length: 200 }, (_, index) => ({
      ...{ sent: `2026-02-${String(1 + (index % 28)).padStart(2, '0')}`, body: `message ${index}` },
      ...(index === 0 && { caption: 'The customer confirms the address.' }),
    }))
    const table = rows({ customerCommunication })
    expect(table).toHaveLength(21)
    expect(table.at(-1)).toBe('180 more messages')
    expect(table.at(-2)).toBe('1 February 2026: "message 0" (The customer confirms the address.)')
  })

  test('100,000 characters become an excerpt; card numbers, control characters and direction marks are removed', () => {
    const [long = ''] = rows({ customerCommunication: { ...mail, body: 'word '.repeat(20_000) } })
    expect(long).toMatch(/word \[…]"$/)
    expect(long.length).toBeLessThan(700)
    const body = 'a\0b \u202e4242 4242 4242 4242\ud800 日本 نص {{ 7 | times: 7 }} <script>'
    expect(rows({ customerCommunication: { ...mail, body } })[0]).toContain(
      '"ab •••• 4242 日本 نص {{ 7 | times: 7 }} <script>"',
    )
  })

  test('a message needs a date and a text; a date in the future, before 2000 or of two meanings is refused by index', () => {
    const sent = ['2026-04-30', '1999-01-01', '03/04/2026', undefined]
    const { warnings, facts } = gather({
      customerCommunication: [{ sent: '2026-03-07' }, ...sent.map((one) => ({ sent: one, body: 'x' }))],
    })
    const noDate = 'is no date: send it as 2026-03-06 or 2026-03-06T11:42:00+01:00.'
    expect(messages({ warnings })).toEqual([
      'customerCommunication[0].body is missing.',
      'customerCommunication[1].sent is in the future.',
      'customerCommunication[2].sent is before 2000.',
      `customerCommunication[3].sent ${noDate}`,
      `customerCommunication[4].sent ${noDate}`,
    ])
    expect(facts.customerCommunication).toBeUndefined()
  })

  test('a withdrawal is said in the customer’s own words, of that day and from the address or name of the order', () => {
    const body = 'Ich ziehe die Reklamation zurück.'
    const words = {
      ...mail,
      sent: '2026-03-25T10:00:00Z',
      body,
      translation: 'I withdraw the dispute.',
      language: 'de',
    }
    const points = { customerWithdrewDate: '2026-03-25', transactionOrderEmail: 'Ada@Example.com' }
    const withdrawn = (change: object, more: object = {}) =>
      said({ ...points, ...more, customerCommunication: [{ ...words, ...change }] }).withdrawn_in_words
    expect(withdrawn({})).toBe(
      'The customer withdrew the dispute on 25 March 2026 and wrote: "Ich ziehe die Reklamation zurück." ' +
        '(translation: "I withdraw the dispute.")',
    )
    expect(withdrawn({ from: 'Ada Byron <ada@example.com>', translation: undefined })).toContain(body)
    expect(withdrawn({ from: 'Ada Byron' }, { customerName: 'Ada Byron' })).toContain('I withdraw')
    expect(withdrawn({ from: 'shop@example.com' })).toBeUndefined()
    expect(withdrawn({ from: undefined })).toBeUndefined()
    expect(withdrawn({ sent: '2026-03-24' })).toBeUndefined()
    // With the words, the file is not said to be enclosed a second time.
    const both = said({ ...points, customerCommunication: [words] }, { exhibits: ['communication'] })
    expect(Object.keys(both).filter((id) => id.startsWith('withdrawn'))).toEqual(['withdrawn_in_words'])
  })

  test('counts as correspondence, and a caption becomes a sentence', () => {
    const customerCommunication = [{ ...mail, body: 'x', caption: 'the customer confirms the delivery.' }]
    const deliveryDate = '2026-03-06'
    expect(compose({ deliveryDate }).missing).toContain('customerCommunication')
    expect(compose({ deliveryDate, customerCommunication }).missing.join()).not.toContain('customerCommunication')
    expect(said({ customerCommunication }).message).toBe('Message of 7 March 2026: the customer confirms the delivery.')
    expect(said({ customerCommunication: [{ ...mail, body: 'x' }] }).message).toBeUndefined()
  })
})

describe('the course of events', () => {
  test('oldest first; a text that is no date is shown as written, in the order of the merchant, with a warning', () => {
    const [late, early] = [
      { when: '2026-03-06T11:42:00+03:00', what: 'delivered' },
      { when: '2026-03-03', what: 'shipped' },
    ]
    expect(rows({ timeline: [late, early] })).toEqual([
      '3 March 2026: shipped',
      '6 March 2026, 11:42 (UTC+3): delivered',
    ])
    const mixed = { timeline: [late, { when: 'a week later', what: 'called' }, early] }
    expect(rows(mixed)[1]).toBe('a week later: called')
    expect(messages(gather(mixed))).toEqual(['timeline[1].when is no date, and is shown as it is written.'])
  })

  test('an event in the future or without words is left out; at most 40 are shown', () => {
    const { warnings } = gather({
      timeline: [{ when: '2026-05-01', what: 'x' }, { when: '2026-03-01' }, { what: 'y' }],
    })
    expect(messages({ warnings })).toEqual([
      'timeline[0].when is in the future.',
      'timeline[1].what is missing.',
      'timeline[2].when is missing.',
    ])
    const many = rows({ timeline: Array.from({ length: 60 }, () => ({ when: '2026-03-01', what: 'x' })) })
    expect([many.length, many.at(-1)]).toEqual([41, '20 more events'])
  })
})

test('a table in a template prints as its rows', () => {
  const { facts } = gather({ orderItems: [shoes, { name: 'socks' }] })
  expect(renderSentence(parseSentence('{{ orderItems | list }}.'), facts)).toBe(
    '2 × running shoes (S-42): 59.90 USD and socks.',
  )
})
