import { describe, expect, test } from 'vitest'
import { ingestionCells, prepareIngestion, runPollCells } from './ingestion/ingestion.ts'
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
  test('crashes, rotated keys, accounts connected twice, due dates that pass, humans at the PSP: each command has one effect and reports it correctly', async () => {
    const outcomes = await crashDeadlinesAndRotation({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    expect(countOf(outcomes, 'passed')).toBeGreaterThan(60)
  }, 900_000)

  test('a worker killed while packages are built and submitted: one package counts, the PSP has its bytes once', async () => {
    const outcomes = await SUITES.packages.run({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    expect(countOf(outcomes, 'passed')).toBe(10)
  }, 900_000)

  test('every ambiguous response to the irreversible call: the PSP is read before any repeat', async () => {
    const outcomes = await SUITES.ambiguous.run({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    expect(countOf(outcomes, 'passed')).toBeGreaterThan(20)
  }, 300_000)

  test('Postgres and Temporal unreachable: commands are accepted or refused cleanly, none is lost', async () => {
    expect(failures(await SUITES.net.run({ reduced: true }))).toEqual([])
  }, 180_000)

  test('every migration since 0015 next to writers: none of their statements waits over a second', async () => {
    expect(failures(await SUITES.migrations.run({ reduced: true }))).toEqual([])
  }, 180_000)

  test('a worker and Postgres killed while webhooks are sent and replayed: each endpoint accepts each event', async () => {
    const outcomes = await SUITES.webhooks.run({ reduced: true })
    expect(failures(outcomes)).toEqual([])
    // Five faults; no secret in the traces; histories replay.
    expect(countOf(outcomes, 'passed')).toBe(7)
  }, 300_000)

  test('one malformed object among many: only that object is quarantined', async () => {
    expect(failures(await SUITES.poison.run({ reduced: true }))).toEqual([])
  }, 120_000)

  test('deliveries of five PSPs, then a worker killed while it reads a page of each: our rows match the PSPs', async () => {
    // One environment for both: its start takes longer than they do.
    await using testbed = await prepareIngestion({ reduced: true })
    const delivered = await notifyAll(testbed, { reduced: true })
    expect(failures(delivered)).toEqual([])
    const polled: string[][] = []
    const { groups } = ingestionCells({ reduced: true })
    for (const group of groups)
      for (const { result, why, cell } of await runPollCells(testbed, group))
        if (result === 'failed') polled.push([cell.step.key, cell.adapter, ...why])
    expect(polled).toEqual([])
    expect([delivered.length, groups.flat().length]).toEqual([5, 7])
  }, 300_000)
})
