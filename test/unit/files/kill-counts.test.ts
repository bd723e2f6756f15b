import { expect, test } from 'vitest'
import { createKillCounts } from '../../../files/kill-counts.ts'
import type { KillReason } from '../../../files/refusals.ts'

test.each([
  ['memory', 1],
  ['cpu', 1],
  ['time', 2],
  ['crash', 2],
  // A busy machine says little about the file, but it must not be tried forever.
  ['starved', 20],
] as [KillReason, number][])(
  'a file whose process is killed for the reason %s is refused permanently after %i kills',
  (reason, kills) => {
    const counts = createKillCounts()
    for (let count = 1; count < kills; count++) expect(counts.add('file', reason)).toEqual({ count, final: false })
    expect(counts.isRefused('file')).toBe(false)
    expect(counts.add('file', reason)).toEqual({ count: kills, final: true })
    expect([counts.isRefused('file'), counts.isRefused('another')]).toEqual([true, false])
  },
)

test('the oldest file is dropped after a thousand others', () => {
  const counts = createKillCounts()
  for (let file = 0; file <= 1_000; file++) counts.add(`file ${file}`, 'memory')
  expect([counts.isRefused('file 0'), counts.isRefused('file 1')]).toEqual([false, true])
})
