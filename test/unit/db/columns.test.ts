import { describe, expect, test } from 'vitest'
import {
  COMPARED,
  type ColumnName,
  columnOf,
  inTimeline,
  jsonName,
  SHOWN,
  WRITTEN,
} from '../../../db/chargebacks/column-sql.ts'
import { COLUMNS } from '../../../db/chargebacks/columns.ts'

const names = Object.keys(COLUMNS) as ColumnName[]

describe('the table of columns', () => {
  test('compares each column that the timeline reports with its next reading', () => {
    const reported = names.filter((name) => columnOf(name).timeline !== undefined)
    expect(COMPARED).toEqual(expect.arrayContaining(reported))
  })

  test('gives each event of a reading its own place', () => {
    const places = names.flatMap((name) => {
      const { timeline } = columnOf(name)
      return typeof timeline === 'object' ? [timeline.event] : []
    })
    expect(places.length).toBeGreaterThan(0)
    expect(new Set(places).size).toBe(places.length)
  })

  test('names each column once, in SQL and in the interface', () => {
    for (const all of [names.map((name) => columnOf(name).column), SHOWN.map(jsonName)])
      expect(new Set(all).size).toBe(all.length)
  })

  test('shows the id first, and only columns that have a JSON form', () => {
    expect(SHOWN[0]).toBe('id')
    for (const name of SHOWN) expect(columnOf(name).kind.json, name).toBeDefined()
  })

  test('has only words that need no escaping, because they are quoted unchecked', () => {
    for (const name of names) expect((columnOf(name).kind.words ?? []).join('')).toMatch(/^[\w]*$/)
  })

  test('keeps free text out of the timeline', () => {
    const text = WRITTEN.filter((name) => columnOf(name).kind === COLUMNS.reason.kind && SHOWN.includes(name))
    const values = new Set([...inTimeline('details'), ...inTimeline('assessment')])
    // Currency, BIN, country and the last four digits are not free text: adapters check their form.
    expect(text.filter((name) => values.has(name))).toEqual(['currency', 'bin', 'billingCountry', 'cardLastFourDigits'])
  })
})
