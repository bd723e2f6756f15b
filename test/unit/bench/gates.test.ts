import { expect, test } from 'vitest'
import { type Gate, judge, readGates } from '../../../bench/runner/gates.ts'
import { type Line, type Metric, toLine } from '../../../bench/runner/metric.ts'

const GATE: Gate = {
  row: 'P1',
  figure: 'first load',
  benchmark: 'ingest',
  metric: 'ingest.rate',
  value: 'ratio',
  bound: 'least',
  gate: 3,
  goal: 5,
}
const metric = (ours: number[], anchor: number[], more: Partial<Metric> = {}): Metric => ({
  name: 'ingest.rate',
  unit: 'disputes/s',
  clock: 'wall',
  ours,
  anchor: { name: 'a peer', values: anchor },
  ...more,
})
const verdictOf = (line: Line, gate: Partial<Gate> = {}) => judge([{ ...GATE, ...gate }], [line])[0]?.verdict

test('the ratio is the median of the ratios of the pairs, not the ratio of the medians', () => {
  const line = toLine(metric([100, 200, 900], [50, 20, 300]), 0)
  expect(line).toMatchObject({ ratio_median: 3, ratio_min: 2, ratio_max: 10, pairs: 3, ours: 200, anchor: 50 })
})

test('of an even number of pairs the median is between the two in the middle', () => {
  expect(toLine(metric([10, 20, 30, 40], [10, 10, 10, 10]), 0)).toMatchObject({ ratio_median: 2.5 })
})

test('an inverse ratio is that of the peer to Recoup', () => {
  expect(toLine(metric([2], [16], { inverse: true }), 0)).toMatchObject({ ratio_median: 8 })
})

test('a pair that lacks a side is an error', () => {
  expect(() => toLine(metric([1, 2], [1]), 0)).toThrow('lacks a side')
  expect(() => toLine(metric([], []), 0)).toThrow('no values')
})

test.each([
  [[290], 'missed'],
  [[300], 'met'],
  [[499], 'met'],
  [[500], 'goal met'],
] as const)('a ratio of %j hundredths with gate 3 and goal 5 is %s', (ours, verdict) => {
  expect(verdictOf(toLine(metric([...ours], [100]), 0))).toBe(verdict)
})

test('an upper bound is reached from below', () => {
  const line = toLine(metric([115], [100]), 0)
  expect(verdictOf(line, { bound: 'most', gate: 1.15, goal: 1 })).toBe('met')
  expect(verdictOf(line, { bound: 'most', gate: 1.14, goal: 1 })).toBe('missed')
})

test('times of --quick can miss a gate and prove none; its counts are those of every run', () => {
  const run: Line = { name: 'ingest.run', quick: true, load_before: 0, load_after: 0 }
  const verdict = (ours: number, clock: Metric['clock']) =>
    judge([GATE], [run, toLine(metric([ours], [100], { clock }), 0)])[0]?.verdict
  expect([verdict(600, 'cpu'), verdict(200, 'cpu'), verdict(600, 'count')]).toEqual(['unproven', 'missed', 'goal met'])
})

test('wall time of a loud machine proves nothing, but processor time does', () => {
  const wall = toLine(metric([600], [100]), 1)
  expect(judge([GATE], [wall])[0]).toMatchObject({ verdict: 'unproven', reason: expect.stringContaining('loud') })
  const cpu = toLine(metric([200], [100], { name: 'ingest.cpu', clock: 'cpu' }), 1)
  const both = { ...GATE, also: 'ingest.cpu' }
  expect(judge([both], [wall, cpu])[0]?.verdict).toBe('missed')
  expect(judge([both], [wall, { ...cpu, ratio_median: 6 }])[0]?.verdict).toBe('unproven')
})

test('with two clocks both have to reach the gate', () => {
  const wall = toLine(metric([600], [100]), 0)
  const cpu = toLine(metric([200], [100], { name: 'ingest.cpu', clock: 'cpu' }), 0)
  expect(judge([{ ...GATE, also: 'ingest.cpu' }], [wall, cpu])[0]?.verdict).toBe('missed')
  expect(judge([{ ...GATE, also: 'ingest.cpu' }], [wall, { ...cpu, ratio_median: 5 }])[0]?.verdict).toBe('goal met')
})

test('a figure without a ratio is missed, not met', () => {
  expect(verdictOf(toLine({ ...metric([9], [1]), anchor: null }, 0))).toBe('missed')
})

test('a skipped peer leaves its row unproven with the reason; a row without a run is not run', () => {
  const skip: Line = { name: 'ingest.supabase', skipped: 'npm is offline', rows: ['P1'] }
  expect(judge([GATE], [skip])[0]).toMatchObject({ verdict: 'unproven', reason: 'skipped: npm is offline' })
  expect(judge([GATE], [])[0]?.verdict).toBe('not run')
})

test('each row of gates.json belongs to a benchmark, and a goal is never easier than its gate', () => {
  const gates = readGates()
  expect(new Set(gates.map(({ row }) => row)).size).toBe(gates.length)
  for (const { row, benchmark, metric: line, also, bound, gate, goal = gate } of gates) {
    for (const name of [line, also ?? line]) expect(name.startsWith(`${benchmark}.`), row).toBe(true)
    expect(bound === 'least' ? goal >= gate : goal <= gate, row).toBe(true)
  }
})
