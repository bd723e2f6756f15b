import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bouts, crashCells, nameOf } from '../../faults/cells.ts'
import { openJournal } from '../../faults/journal.ts'
import type { SuiteOutcome } from '../../faults/report/suite-outcome.ts'
import { roundsOf, runRounds } from '../../faults/rounds.ts'

/** Three rounds of three cells. */
const cells = crashCells({ seeds: 3, adapters: ['stripe'] }).cells.filter(
  ({ strike, step }) => strike === 'api:kill' && ['before_commit', 'after_commit'].includes(step.key),
)
const rounds = roundsOf(bouts(cells))
const seedOf = (round: (typeof rounds)[number]) => round[0]?.[0]?.seed ?? 0
const passed = async (round: (typeof rounds)[number]): Promise<SuiteOutcome[]> => [
  ...round.flat().map((cell): SuiteOutcome => ({ name: nameOf(cell), cell, result: 'passed', why: [] })),
  { name: 'I9', title: 'sums', result: 'passed', why: [`of ${seedOf(round)}`] },
]
const sums = (outcomes: readonly SuiteOutcome[]) =>
  [1, 2, 3].map((seed) => [...new Set(outcomes.flatMap(({ cell, result }) => (cell?.seed === seed ? result : [])))])

describe('rounds', () => {
  test('a round that throws fails with all its cells, and does not affect the others', async () => {
    const outcomes = await runRounds(rounds, { sideBySide: 2 }, async (round) => {
      if (seedOf(round) === 2) throw new Error('the worker had ended')
      return passed(round)
    })
    expect(sums(outcomes)).toEqual([['passed'], ['failed'], ['passed']])
    expect(outcomes.find(({ cell }) => cell?.seed === 2)?.why).toEqual(['the worker had ended'])
  })

  describe('with a journal', () => {
    let folder: string
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'recoup-journal-'))
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    test('a completed round is not run again, but one that threw is', async () => {
      const run: number[] = []
      const ran = (round: (typeof rounds)[number]) => {
        run.push(seedOf(round))
        if (run.length === 2) throw new Error('killed')
        return passed(round)
      }
      await runRounds(rounds, { journal: openJournal(folder, 'abc') }, async (round) => ran(round))
      const journal = openJournal(folder, 'abc')
      const outcomes = await runRounds(rounds, { journal }, async (round) => ran(round))
      expect(run).toEqual([1, 2, 3, 2])
      expect(journal.recalled()).toBe(2)
      expect(outcomes).toEqual(
        expect.arrayContaining((await runRounds(rounds, {}, passed)).filter(({ cell }) => cell !== undefined)),
      )
      expect(outcomes.at(-1)).toMatchObject({ name: 'I9', why: expect.arrayContaining(['of 1', 'of 2', 'of 3']) })
    })

    test('results of another commit don’t count', async () => {
      await runRounds(rounds, { journal: openJournal(folder, 'abc') }, passed)
      const run: number[] = []
      await runRounds(rounds, { journal: openJournal(folder, 'abd') }, async (round) => {
        run.push(seedOf(round))
        return passed(round)
      })
      expect(run).toEqual([1, 2, 3])
    })
  })
})
