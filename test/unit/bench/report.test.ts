import { expect, test } from 'vitest'
import type { Gate } from '../../../bench/runner/gates.ts'
import { type Line, toLine } from '../../../bench/runner/metric.ts'
import { reportDocument } from '../../../bench/runner/report.ts'

const gate = (row: string, metric: string, limit: number): Gate => ({
  ...{ row, figure: `figure ${row}`, benchmark: 'ingest', metric },
  ...{ value: 'ratio', bound: 'least', gate: limit, goal: 5 },
})
const GATES = [gate('P1', 'ingest.supabase.rate', 3), gate('P1c', 'ingest.dlt.rate', 5), gate('P5', 'ingest.copy', 1)]
const LINES: Line[] = [
  {
    name: 'ingest.run',
    quick: true,
    load_before: 0.1,
    load_after: 2,
    disputes: 2_000,
    commit: 'abc',
    date: '2026-11-23',
  },
  toLine(
    {
      ...{ name: 'ingest.supabase.rate', unit: 'disputes/s', clock: 'wall' },
      ...{ ours: [1_400, 1_500, 1_600], anchor: { name: 'the engine', values: [2_800, 2_500, 2_000] } },
    },
    0,
  ),
  { name: 'ingest.dlt', skipped: 'there is no Python', rows: ['P1c'] },
]
const rowOf = (text: string, row: string) => text.split('\n').find((line) => line.startsWith(`| ${row} |`))

test('each row has ours, the peer, ratio with its range, gate, goal and the result', () => {
  const text = reportDocument(GATES, LINES)
  expect(rowOf(text, 'P1')).toBe(
    '| P1 | figure P1 | 1,500 disputes/s | 2,500 | **0.6** (0.5–0.8) | – | ≥ 3 | ≥ 5 | **missed** |',
  )
})

test('a skipped peer is named with the row that it leaves unproven', () => {
  const text = reportDocument(GATES, LINES)
  expect(rowOf(text, 'P1c')).toContain('unproven: skipped: there is no Python')
  expect(text).toContain('- ingest.dlt: there is no Python (unproven: P1c)')
})

test('a row without a run says so', () => {
  expect(rowOf(reportDocument(GATES, LINES), 'P5')).toContain('| not run |')
})

test('every run is listed with its commit, size and load', () => {
  expect(rowOf(reportDocument(GATES, LINES), 'ingest')).toMatch(/2026-11-23 \| abc \| 2000, --quick .* 0.1 → 2 \|/)
})

test('a missed gate has its reason below the table, a met one none', () => {
  const explained = GATES.map((one) => ({ ...one, why: `the reason of ${one.row}` }))
  const text = reportDocument(explained, LINES)
  expect(text).toContain('- **P1**: the reason of P1')
  expect(text).not.toContain('the reason of P5')
})
