import { describe, expect, test } from 'vitest'
import { createScopePreview, EXAMPLES, type PreviewedChargeback } from '../../../../domain/previews/scope-preview.ts'

const before: PreviewedChargeback = {
  id: 'a',
  status: 'waiting_for_data',
  statusReason: 'More data is needed to build evidence.',
  atWork: null,
  dueDate: null,
  currency: 'USD',
  amountMinor: 1099n,
  amountExponent: 2,
}
const byRule = (rule: string, version = 4) => ({
  status: 'not_represented',
  reason: `It is out of scope: ${rule}, by version ${version} of the integration's rules.`,
})
const inScope = { status: 'building_evidence', reason: 'The data asked for is complete enough.' }

describe('a preview of rules', () => {
  test('sums exactly per currency, also with different exponents and beyond exact numbers', () => {
    const preview = createScopePreview()
    const amounts: [string, bigint, number][] = [
      ...([1, 2, 3].map(() => ['USD', 9_007_199_254_740_993n, 2]) as [string, bigint, number][]),
      ...([
        ['JPY', 500n, 0],
        ['ISK', 1n, 0],
        ['ISK', 150n, 2],
      ] as [string, bigint, number][]),
      ...([
        ['KWD', 1n, 3],
        ['KWD', 9n, 3],
      ] as [string, bigint, number][]),
    ]
    for (const [currency, amountMinor, amountExponent] of amounts)
      preview.add({ ...before, currency, amountMinor, amountExponent }, byRule('cardSchemes amex'))
    expect(preview.read().leaves).toMatchObject({
      count: 8,
      amounts: [
        { currency: 'ISK', amount: '2.5' },
        { currency: 'JPY', amount: '500' },
        { currency: 'KWD', amount: '0.01' },
        { currency: 'USD', amount: '270215977642229.79' },
      ],
    })
  })

  test('has one reason for each word of a rule, one for all amounts, and sentences for what is no rule', () => {
    const preview = createScopePreview()
    const after = ['chargebackAmount 1.5', 'chargebackAmount 2', 'reasonCodes a, by version 1', 'chargebackAmount 3']
    for (const rule of [...after, 'reasonCodes a, by version 1']) preview.add(before, byRule(rule))
    preview.add(before, { status: 'not_represented', reason: 'The due date passed.' })
    const reasons = preview.read().leaves.reasons.map(({ amounts: _, ...one }) => one)
    expect(reasons).toEqual([
      { dimension: 'chargebackAmount', count: 3 },
      { dimension: 'reasonCodes', value: 'a, by version 1', count: 2 },
      { reason: 'The due date passed.', count: 1 },
    ])
  })

  test('says of a returning one what set it aside, and of one with a command in progress that it has one', () => {
    const preview = createScopePreview()
    const aside = { ...before, status: 'not_represented', statusReason: byRule('lifecycleStages inquiry', 3).reason }
    preview.add(aside, inScope)
    // Its reason is of version 3, although the rules are of version 4 by then.
    preview.add({ ...aside, atWork: 'acceptance' }, byRule('lifecycleStages inquiry', 3))
    preview.add(before, inScope)
    const { leaves, returns, untouched } = preview.read()
    expect([leaves.count, leaves.amounts, leaves.reasons, leaves.examples]).toEqual([0, [], [], []])
    expect(returns.reasons).toMatchObject([{ dimension: 'lifecycleStages', value: 'inquiry', count: 1 }])
    expect(untouched.reasons).toMatchObject([
      { reason: 'An acceptance is in progress.', count: 1 },
      { reason: 'The data asked for is complete enough.', count: 1 },
    ])
  })

  test('counts a change between other statuses as untouched', () => {
    const preview = createScopePreview()
    preview.add(before, { status: 'pending_psp_results', reason: 'Evidence was submitted.' })
    preview.add({ ...before, status: 'pending_psp_results' }, { status: 'not_represented', reason: 'x' })
    preview.add({ ...before, status: 'not_represented' }, { status: 'not_represented', reason: 'x' })
    const { leaves, returns, untouched } = preview.read()
    expect([leaves.count, returns.count, untouched.count]).toEqual([0, 0, 3])
  })

  test('keeps the examples with the latest due dates, in any order of the chargebacks', () => {
    const days = Array.from({ length: 3 * EXAMPLES }, (_, index) => (index * 7) % (3 * EXAMPLES))
    const preview = createScopePreview()
    const id = (day: number) => `id-${String(day).padStart(3, '0')}`
    for (const day of days) {
      const dueDate = day < 3 ? null : new Date(Date.UTC(2026, 0, 1 + Math.floor(day / 2)))
      preview.add({ ...before, id: id(day), dueDate }, inScope)
    }
    const latest = days.toSorted((a, b) => b - a).slice(0, EXAMPLES)
    expect(preview.read().untouched).toMatchObject({ count: 3 * EXAMPLES, examples: latest.map(id) })
    const few = createScopePreview()
    few.add({ ...before, id: 'none' }, inScope)
    few.add({ ...before, id: 'dated', dueDate: new Date(0) }, inScope)
    expect(few.read().untouched.examples).toEqual(['dated', 'none'])
  })
})
