import { describe, expect, test } from 'vitest'
import { ingestionCells, prepareIngestion, strikePolls } from './ingestion/ingestion.ts'
import { notifyAll } from './notifications/notifications.ts'
import { countOf } from './report/report.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { crashDeadlinesAndRotation, SUITES } from './suites.ts'

/** `npm run torture -- --reduced`; the whole matrix is `npm run torture`. */
const failures = (outcomes: readonly SuiteOutcome[]) =>
  outcomes
    .filter(({ result }) => result === 'failed')
    .map(({ name, why, story = [] }) => [name, ...why, ...story].join('\n  '))

describe('torture, the reduced matrix', () => {
  test('every victim struck, keys replaced, accounts connected twice, due dates that pass, humans at the PSP: each command has one effect and tells the truth', async () => {
    const outcomes = await crashDeadlinesAndRotation({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    expect(countOf(outcomes, 'passed')).toBeGreaterThan(60)
  }, 900_000)

  test('every doubtful answer to the call that can’t be taken back: read before any repeat', async () => {
    const outcomes = await SUITES.ambiguous.run({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    expect(countOf(outcomes, 'passed')).toBeGreaterThan(20)
  }, 300_000)

  test('Postgres and Temporal out of reach: commands are answered or refused cleanly, none is lost', async () => {
    expect(failures(await SUITES.net.run({ reduced: true }))).toEqual([])
  }, 180_000)

  test('every migration since 0015 beside writers: no statement of theirs waits over a second', async () => {
    expect(failures(await SUITES.migrations.run({ reduced: true }))).toEqual([])
  }, 180_000)

  test('one bad object among many costs that object, visibly', async () => {
    expect(failures(await SUITES.poison.run({ reduced: true }))).toEqual([])
  }, 120_000)

  test('deliveries at five PSPs, then a worker killed with a page of each in its hands: their truth is ours', async () => {
    // One ground for both: its start takes longer than they do.
    await using ground = await prepareIngestion({ reduced: true })
    const delivered = await notifyAll(ground, { reduced: true })
    expect(failures(delivered)).toEqual([])
    const polled: string[][] = []
    const { groups } = ingestionCells({ reduced: true })
    for (const group of groups)
      for (const { result, why, cell } of await strikePolls(ground, group))
        if (result === 'failed') polled.push([cell.step.key, cell.adapter, ...why])
    expect(polled).toEqual([])
    expect([delivered.length, groups.flat().length]).toEqual([5, 7])
  }, 300_000)
})
