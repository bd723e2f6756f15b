import { expect, test } from 'vitest'
import { askedTooEarly } from '../../faults/retry-after.ts'

const calls = (nextAt: string) => [
  { id: 1, when: '2026-11-22T09:00:00.500Z', outcome: 'ok' },
  { id: 2, when: '2026-11-22T09:00:01.500Z', outcome: '429' },
  { id: 3, when: nextAt, outcome: 'ok' },
]
const DATE = 'Sun, 22 Nov 2026 09:00:03 GMT'

test.each([
  ['two seconds, asked after two', '2', '2026-11-22T09:00:03.500Z', []],
  ['two seconds, asked before', '2', '2026-11-22T09:00:03.499Z', ['asked again 1 ms before Retry-After (2)']],
  ['a date, asked right then', DATE, '2026-11-22T09:00:03.000Z', []],
  ['a date, asked before', DATE, '2026-11-22T09:00:02.000Z', [`asked again 1000 ms before Retry-After (${DATE})`]],
])('%s', (_, retryAfter, nextAt, sentences) => {
  expect(askedTooEarly(calls(nextAt), retryAfter)).toEqual(
    sentences.map((sentence) => expect.stringContaining(sentence)),
  )
})

test('no second call, or no refused call', () => {
  expect(askedTooEarly(calls('').slice(0, 2), '2')).toEqual([])
  expect(askedTooEarly([], '2')).toEqual([])
})
