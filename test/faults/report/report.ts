import { type AnyCell, nameOf, type Outcome } from '../cells.ts'
import type { SuiteOutcome } from './suite-outcome.ts'

/** Failures of a group that are printed with their story; of the others only the names. */
const STORIES = 2
const LONGEST_LINE = 400

/** One line about commands that one fault hit together. */
export function batchLine(outcomes: readonly Outcome<AnyCell>[], ms: number): string {
  const [first] = outcomes
  if (!first) return '  no cells'
  const { strike, seed } = first.cell
  const commands = [...new Set(outcomes.map(({ cell }) => cell.step.command))].join(' and ')
  const failed = outcomes.filter(({ result }) => result === 'failed').length
  const what = strike.startsWith('psp:') ? 'the PSP’s responses' : strike.startsWith('human:') ? 'a human' : strike
  return `  ${what}, ${commands}, seed ${seed}: ${outcomes.length} cells, ${failed} failed, ${(ms / 1000).toFixed(1)} s`
}

const suiteOf = ({ strike, step: { command } }: AnyCell) => {
  if (command === 'ingestion') return 'ingestion'
  if (command === 'notification') return 'notifications'
  if (command === 'rotation') return 'rotation'
  if (command === 'build' || command === 'automatic submission') return 'packages'
  return strike.startsWith('psp:') ? 'ambiguous' : /^(due|human):/.test(strike) ? 'deadlines' : 'crash'
}

/** Failures, with the command that runs each one alone. */
export function failuresOf(outcomes: readonly Outcome<AnyCell>[]): string[] {
  return outcomes
    .filter(({ result }) => result === 'failed')
    .flatMap(({ cell, why, story = [] }, index) => [
      `    FAILED  npm run torture -- ${suiteOf(cell)} --cell ${nameOf(cell)}`,
      ...why.map((sentence) => `            ${sentence}`),
      ...(index < STORIES ? story : []).map((line) => `              | ${line.slice(0, LONGEST_LINE)}`),
    ])
}

export interface SuiteResult {
  name: string
  outcomes: readonly SuiteOutcome[]
  ms: number
  /** Seeds whose results are those of an earlier run; `ms` is without them. */
  recalled: number
}

export const countOf = (outcomes: readonly SuiteOutcome[], result: Outcome['result']) =>
  outcomes.filter((one) => one.result === result).length

/** The last lines: skipped cells with their reasons, and the totals. */
export function summaryOf(results: readonly SuiteResult[]): string[] {
  const all = results.flatMap(({ outcomes }) => outcomes)
  const reasons = new Map<string, number>()
  for (const { result, why } of all)
    if (result === 'skipped') reasons.set(why[0] ?? '', (reasons.get(why[0] ?? '') ?? 0) + 1)
  const seconds = Math.round(results.reduce((sum, { ms }) => sum + ms, 0) / 1000)
  return [
    ...[...reasons].map(([reason, cells]) => `skipped ${cells}: ${reason}`),
    `${countOf(all, 'passed')} passed, ${countOf(all, 'failed')} failed, ${countOf(all, 'skipped')} skipped in ${seconds} s`,
  ]
}
