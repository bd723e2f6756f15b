import { describe, expect, test } from 'vitest'
import { ACCOUNT_DEFAULTS, DECIDING_SETTINGS, settingsChanges } from '../../../domain/accounts/account-settings.ts'
import { read } from './markdown.ts'

const [section = ''] = read('docs/operating.md').match(/^## Quotas and retention$[\s\S]*?^## /m) ?? []
/** Setting, and its cell: the default first, then explanations in parentheses. */
const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]*) \|/gm)].map(([, name = '', cell = '']) => ({ name, cell }))
const numberOf = (text = '') => Number(text.replaceAll(',', ''))

describe('docs/operating.md, quotas and retention', () => {
  test('has every setting of storage with its default', () => {
    const ofStorage = Object.entries(ACCOUNT_DEFAULTS).filter(
      ([name, value]) => typeof value === 'number' && !DECIDING_SETTINGS.includes(name) && !/reminderHours/i.test(name),
    )
    const documented = rows.map(({ name, cell }) => [name, numberOf(/^[\d,]+/.exec(cell)?.[0])])
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ofStorage))
  })

  test.each(rows.filter(({ cell }) => /at least|\d to \d/.test(cell)))('has the limits of $name', ({ name, cell }) => {
    const [, least, from, to] = /at least (\d+)|(\d+) to (\d+)/.exec(cell) ?? []
    const smallest = numberOf(least ?? from)
    const accepts = (value: number) => settingsChanges.safeParse({ [name]: value }).success
    expect([accepts(smallest - 1), accepts(smallest)]).toEqual([false, true])
    if (to !== undefined) expect([accepts(numberOf(to)), accepts(numberOf(to) + 1)]).toEqual([true, false])
  })
})
