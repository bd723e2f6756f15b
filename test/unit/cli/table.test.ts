import { describe, expect, test } from 'vitest'
import { table } from '../../../cli/table.ts'

const id = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
const at = new Date('2027-01-31T09:30:12Z')
const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length))

describe('a table', () => {
  test('has a column for each field, and times to the minute in UTC', () => {
    const rows = [
      { id, name: 'Shop', at, paused: false, reason: null },
      { id, name: 'A longer name', at: null, paused: true, reason: 'x' },
    ]
    expect(table(rows, {})).toBe(
      [
        'id                                    name           at                paused  reason',
        `${id}  Shop           2027-01-31 09:30  false   –`,
        `${id}  A longer name  –                 true    x`,
      ].join('\n'),
    )
    expect(table([], {})).toBe('none')
  })

  test('breaks texts and times, never ids, so that a line has at most 100 columns', () => {
    const text = 'The PSP refuses the key because it was revoked by somebody else in the dashboard'
    const printed = table([{ id, other: id, at, text }], {})
    expect(printed.split('\n')).toEqual([
      'id                                    other                                 at',
      `${id}  ${id}  2027-01-31 09:30`,
      '',
      'Not shown: text. --wide and --json have them.',
    ])
    const broken = table([{ id, at, paused: true, text }], {})
    expect(widest(broken)).toBeLessThanOrEqual(100)
    expect(broken).not.toContain('Not shown')
    expect(broken.replaceAll(/\s+/g, ' ')).toContain('refuses the key')
    const column = broken.split('\n').map((line) => line.slice(64).trim())
    expect(column.join(' ')).toBe(`text ${text}`)
  })

  test('shows the columns of the command by their headers, the most important first', () => {
    const rows = [{ hidden: 1, lastSuccessfulPollAt: at, id }]
    expect(table(rows, { columns: { id: 'id', 'last poll': 'lastSuccessfulPollAt' } }).split('\n')).toEqual([
      'id                                    last poll',
      `${id}  2027-01-31 09:30`,
      '',
      'Not shown: hidden. --wide and --json have them.',
    ])
  })

  test('with --wide has every field on one line, with exact times', () => {
    const text = 'word '.repeat(60).trim()
    const printed = table([{ id, at, text, list: ['a', 'b'] }], { wide: true, columns: { id: 'id' } })
    expect(printed.split('\n')).toHaveLength(2)
    expect(printed).toContain(`${id}  2027-01-31T09:30:12.000Z  ${text}  ["a","b"]`)
  })

  test('prints no control character, which a terminal would obey', () => {
    expect(table([{ name: 'a\u001b[2Jb\nc' }], {})).toBe('name\na [2Jb c')
  })
})
