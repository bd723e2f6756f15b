import { describe, expect, test } from 'vitest'
import { type BraintreeCursor, braintreeCursor } from '../../../../adapters/braintree/cursor.ts'
import { braintree as definition } from '../../../../adapters/braintree/index.ts'
import { narrowed } from '../../../../adapters/braintree/windows.ts'
import type { RawObject } from '../../../../adapters/contract.ts'
import { PspError } from '../../../../adapters/errors.ts'
import { connectTo, INITIAL, sendXml, simulated, startServer } from './connect.ts'
import { pageOf, poll } from './polling.ts'

describe('a window that is too wide', () => {
  test('is split into months and then halves if it has more than a thousand disputes', async () => {
    await using braintree = await simulated()
    const created = await braintree.create({ count: 1100, ageDays: 3 })
    const { returned } = await poll(braintree.adapter)
    expect(new Set(returned).size).toBe(created.length)
  })

  test('is narrowed after a gateway time-out until the queries succeed', async () => {
    const spans: number[] = []
    await using braintree = await startServer((_, response, body) => {
      const { min, max } = JSON.parse(body).search.received_date ?? {}
      const days = min === undefined ? 0 : (Date.parse(max) - Date.parse(min)) / 86_400_000
      spans.push(days)
      sendXml(response, days > 20 ? 504 : 200, days > 20 ? '' : pageOf([], 0))
    })
    await poll(connectTo(braintree.url))
    expect(Math.max(...spans)).toBe(180)
    expect(spans.filter((days) => days > 0 && days <= 20).length).toBeGreaterThan(8)
  })

  test('is unavailable if a single day times out', async () => {
    await using braintree = await startServer((_, response) => sendXml(response, 504, ''))
    await expect(poll(connectTo(braintree.url))).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('is split into the same days, each once', () => {
    const parts = narrowed({ by: 'received', from: '2026-01-01', to: '2026-06-30', before: null }) ?? []
    expect([parts[0]?.to, parts.at(-1)?.from]).toEqual(['2026-06-30', '2026-01-01'])
    for (const [index, part] of parts.slice(1).entries()) {
      expect(Date.parse(parts[index]?.from ?? '') - Date.parse(part.to ?? '')).toBe(86_400_000)
    }
    expect(narrowed({ by: 'received', from: '2026-01-01', to: '2026-01-01', before: null })).toBeNull()
  })

  test('is split into months after a server error, which the cursor stores before any of them is read', async () => {
    const days: number[] = []
    let most = 100
    await using braintree = await startServer((_, response, body) => {
      const span = spanOf(body)
      days.push(span)
      sendXml(response, span > most ? 500 : 200, span > most ? '' : pageOf([], 0))
    })
    const adapter = connectTo(braintree.url)
    const first = await adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect([days, first.items, first.hasMore]).toEqual([[181], [], true])
    most = 0
    // A month that fails is an outage: nothing is lost, and nothing is split further.
    await expect(adapter.listDisputes({ cursor: first.cursor, oldestOpen: null })).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(days.slice(1)).toEqual([31])
    most = 100
    await poll(adapter, first.cursor)
    expect(days.slice(2).filter((span) => span > 0)).toEqual([31, 31, 31, 31, 31, 26])
  })

  test('is split after a time-out into parts, which the cursor stores before any of them is read', async () => {
    const days: number[] = []
    await using braintree = await startServer((_, response, body) => {
      days.push(spanOf(body))
      sendXml(response, 504, '')
    })
    const adapter = connectTo(braintree.url)
    const first = await adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect([days, first.items, first.hasMore]).toEqual([[181], [], true])
    await adapter.listDisputes({ cursor: first.cursor, oldestOpen: null })
    expect(days).toEqual([181, 31])
  })
})

describe('a list that stays unreadable', () => {
  const BROKEN = '<disputes type="collection"><dispute><id>d1</id><reason>&#x1F</reason></dispute>'
  const TODAY = '2026-03-14'
  const polled = { polledOn: TODAY, sweptOn: TODAY, undecided: null, scan: null }

  /** Calls that follow each other after some minutes until a poll completes. */
  async function patiently(url: string, start: BraintreeCursor, until = 100) {
    const items: RawObject[] = []
    let cursor = start
    let time = Date.parse(`${TODAY}T06:00:00Z`)
    for (let call = 0; call < until; call++, time += 400_000) {
      const adapter = connectTo(url, { now: () => new Date(time) })
      const page = await adapter.listDisputes({ cursor, oldestOpen: null }).catch((error: PspError) => error)
      if (page instanceof PspError) {
        expect(page.kind).toBe('unavailable')
        continue
      }
      items.push(...page.items)
      cursor = braintreeCursor.schema.parse(page.cursor)
      if (!page.hasMore) return { items, cursor }
    }
    throw new Error('no end')
  }

  test.each([
    ['broken XML', BROKEN],
    ['a list without an end', pageOf([], 400)],
  ])('because of %s loses only that day, which is quarantined', async (_, body) => {
    await using braintree = await startServer((_, response, sent) => {
      const { min, max } = JSON.parse(sent).search.received_date ?? {}
      const poisoned = min !== undefined && min <= '03/10/2026' && '03/10/2026' <= max
      sendXml(response, 200, poisoned ? body : pageOf([`d${spanOf(sent)}`], 1))
    })
    const { items, cursor } = await patiently(braintree.url, polled)
    const text = JSON.stringify({ unreadable: 'received', from: '2026-03-10', to: '2026-03-10' })
    expect(items.filter(({ reference }) => reference === null)).toEqual([{ reference: null, text }])
    expect(new Set(items.map(({ reference }) => reference))).toEqual(new Set(['d4', 'd1', 'd2', null, 'd0']))
    expect([cursor.polledOn, cursor.scan]).toEqual([TODAY, null])
    expect(definition.toChargeback({ reference: null, text })).toMatchObject({ kind: 'unmappable' })
  })

  test('of undecided disputes is skipped too, and the next poll reads it again', async () => {
    await using braintree = await startServer((_, response, sent) =>
      sent.includes('"status"') ? sendXml(response, 504, '') : sendXml(response, 200, pageOf([], 0)),
    )
    const { items, cursor } = await patiently(braintree.url, polled)
    expect(items).toHaveLength(1)
    expect([cursor.polledOn, cursor.undecided, cursor.scan]).toEqual([TODAY, null, null])
  })

  test('because of an outage is retried without limit', async () => {
    await using braintree = await startServer((_, response) => sendXml(response, 503, ''))
    await expect(patiently(braintree.url, polled)).rejects.toThrow('no end')
  })
})

/** Days of the query by received_date; 0 for any other. */
function spanOf(body: string): number {
  const { min, max } = JSON.parse(body).search.received_date ?? {}
  return min === undefined ? 0 : (Date.parse(max) - Date.parse(min)) / 86_400_000 + 1
}
