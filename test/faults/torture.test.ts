import { describe, expect, test } from 'vitest'
import { countOf } from './report.ts'
import { crashAndDeadlines, SUITES, type SuiteOutcome } from './suites.ts'

/** `npm run torture -- --reduced`; the whole matrix is `npm run torture`. */
const failures = (outcomes: readonly SuiteOutcome[]) =>
  outcomes
    .filter(({ result }) => result === 'failed')
    .map(({ name, why, story = [] }) => [name, ...why, ...story].join('\n  '))

describe('torture, the reduced matrix', () => {
  test('every victim struck, due dates that pass, humans at the PSP: each command has one effect and tells the truth', async () => {
    const outcomes = await crashAndDeadlines({ reduced: true })
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

  test('one bad object among many costs that object, visibly', async () => {
    expect(failures(await SUITES.poison.run({ reduced: true }))).toEqual([])
  }, 120_000)
})
