import { describe, expect, test } from 'vitest'
import { narrowed } from '../../../../adapters/braintree/windows.ts'
import { answering, connectTo, INITIAL, sendXml, simulated } from './connect.ts'
import { pageOf, poll } from './polling.ts'

describe('a window that is too wide', () => {
  test('more than a thousand disputes: months instead, then halves', async () => {
    await using braintree = await simulated()
    const created = await braintree.create({ count: 1100, ageDays: 3 })
    const { handed } = await poll(braintree.adapter)
    expect(new Set(handed).size).toBe(created.length)
  })

  test('a gateway time-out: narrower queries until they succeed', async () => {
    const spans: number[] = []
    await using braintree = await answering((_, response, body) => {
      const { min, max } = JSON.parse(body).search.received_date ?? {}
      const days = min === undefined ? 0 : (Date.parse(max) - Date.parse(min)) / 86_400_000
      spans.push(days)
      sendXml(response, days > 20 ? 504 : 200, days > 20 ? '' : pageOf([], 0))
    })
    await poll(connectTo(braintree.url))
    expect(Math.max(...spans)).toBe(180)
    expect(spans.filter((days) => days > 0 && days <= 20).length).toBeGreaterThan(8)
  })

  test('a time-out of a single day is unavailable', async () => {
    await using braintree = await answering((_, response) => sendXml(response, 504, ''))
    await expect(poll(connectTo(braintree.url))).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('its parts are the same days, each once', () => {
    const parts = narrowed({ by: 'received', from: '2026-01-01', to: '2026-06-30', before: null }) ?? []
    expect([parts[0]?.to, parts.at(-1)?.from]).toEqual(['2026-06-30', '2026-01-01'])
    for (const [index, part] of parts.slice(1).entries()) {
      expect(Date.parse(parts[index]?.from ?? '') - Date.parse(part.to ?? '')).toBe(86_400_000)
    }
    expect(narrowed({ by: 'received', from: '2026-01-01', to: '2026-01-01', before: null })).toBeNull()
  })

  test('a server error on more than a month: months, kept by the cursor before any of them is asked for', async () => {
    const days: number[] = []
    let most = 100
    await using braintree = await answering((_, response, body) => {
      const { min, max } = JSON.parse(body).search.received_date ?? {}
      const span = min === undefined ? 0 : (Date.parse(max) - Date.parse(min)) / 86_400_000 + 1
      days.push(span)
      sendXml(response, span > most ? 500 : 200, span > most ? '' : pageOf([], 0))
    })
    const adapter = connectTo(braintree.url)
    const first = await adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect([days, first.items, first.hasMore]).toEqual([[181], [], true])
    most = 0
    // A month that fails is an outage: nothing is lost, and nothing is asked for in smaller parts.
    await expect(adapter.listDisputes({ cursor: first.cursor, oldestOpen: null })).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(days.slice(1)).toEqual([31])
    most = 100
    await poll(adapter, first.cursor)
    expect(days.slice(2).filter((span) => span > 0)).toEqual([31, 31, 31, 31, 31, 26])
  })
})
