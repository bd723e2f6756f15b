import { execFileSync } from 'node:child_process'
import type { PollingMode } from '../../../domain/polling-mode.ts'
import { projectFolder } from '../../../local/run-script.ts'
import type { AnyCell } from '../cells.ts'
import { SUITES, type SuiteName } from '../suites.ts'
import { grid } from './document-grid.ts'
import { countOf, type SuiteResult } from './report.ts'
import type { SuiteOutcome } from './suite-outcome.ts'

const HEAD = `# Faults: injected faults and their results

\`npm run torture -- <suites> --write\` writes this page; each part shows its date and commit. A cell is one command that
one fault hits at one step; \`npm run torture -- crash --cell <victim>:<step>:<fault>:<adapter>:<seed>\` runs it alone. A
number counts the cells that passed, one for each seed at each adapter that has the step; a letter says why the others
have none.
Invariants of each cell: one effect in the PSP's own ledger; every request has our key, and a repeated one the same key;
the status never goes back and ends as the PSP shows it; ledger, timeline and rows report one effect; outbox, locks and
runs are empty afterwards; the PSP has the uploaded bytes; of a dispute that is stored twice, one request is accepted;
no response to one merchant contains data of another; an integration keeps one secret; and one order of the requests of
the command's client, a rival client and a reading client explains all responses.
`

/**
 * The document with the sections of these suites replaced; others stay unchanged. Runs with `--polling dispatch` have
 * sections of their own. `how`: machine and command.
 */
export function faultsDocument(
  before: string | null,
  results: readonly SuiteResult[],
  how: string,
  polling: PollingMode = 'schedules',
): string {
  const names = Object.keys(SUITES) as SuiteName[]
  const parts = (['schedules', 'dispatch'] as const).flatMap((mode) =>
    names.flatMap((name) => {
      const key = mode === 'dispatch' ? `${name}, polls by shards` : name
      const [from, to] = [`<!-- ${key} -->`, `<!-- /${key} -->`]
      const result = mode === polling && results.find((one) => one.name === name)
      if (result) return `${from}\n${partOf(name, key, result, how)}\n${to}`
      if (before?.includes(from)) return `${before.slice(before.indexOf(from), before.indexOf(to))}${to}`
      return mode === 'dispatch' ? [] : `${from}\n## ${name}\n\nNot run yet.\n${to}`
    }),
  )
  return `${HEAD}\n${parts.join('\n\n')}\n`
}

/** The commit at the start of a run, whatever is committed while it lasts. */
export const commitNow = () =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectFolder, encoding: 'utf8' }).trim()

function partOf(name: SuiteName, key: string, { outcomes, ms, recalled }: SuiteResult, how: string): string {
  const seconds = Math.round(ms / 1000)
  const earlier = recalled > 0 ? ` and those of ${recalled} seeds in earlier runs` : ''
  return [
    `## ${key}: ${SUITES[name].title}`,
    '',
    `${new Date().toISOString().slice(0, 10)}, ${how}: ` +
      `${countOf(outcomes, 'passed')} passed, ${countOf(outcomes, 'failed')} failed, ${countOf(outcomes, 'skipped')} not applicable, ${seconds} s${earlier}.`,
    '',
    ...(outcomes.some(({ cell }) => cell) ? matrix(outcomes) : []),
    ...grid(outcomes),
    ...list(outcomes.filter(({ cell, place }) => !cell && !place)),
  ].join('\n')
}

function list(outcomes: readonly SuiteOutcome[]): string[] {
  if (outcomes.length === 0) return []
  return [
    '',
    '| | | result | |',
    '|---|---|---|---|',
    ...outcomes.map(({ name, title = '', result, why }) => `| ${name} | ${title} | ${result} | ${why.join('; ')} |`),
  ]
}

/** Rows are steps, columns faults; for responses of a PSP rows are responses, columns requests. */
function matrix(outcomes: readonly SuiteOutcome[]): string[] {
  const withCells = outcomes.filter((one): one is SuiteOutcome & { cell: AnyCell } => one.cell !== undefined)
  const reasons: string[] = []
  const letter = (reason: string) => {
    if (!reasons.includes(reason)) reasons.push(reason)
    return String.fromCharCode(97 + reasons.indexOf(reason))
  }
  const commands = new Set(withCells.map(({ cell }) => cell.step.command))
  const lines = [...commands].flatMap((command) => {
    const own = withCells.filter(({ cell }) => cell.step.command === command)
    if (own.length === 0) return []
    const ofResponses = own[0]?.cell.strike.startsWith('psp:') ?? false
    const rowOf = ({ cell }: { cell: AnyCell }) => (ofResponses ? cell.strike.slice(4) : cell.step.key)
    const columnOf = ({ cell }: { cell: AnyCell }) => (ofResponses ? cell.step.key : cell.strike)
    const columns = [...new Set(own.map(columnOf))]
    const titles = new Map(own.map((one) => [rowOf(one), ofResponses ? '' : one.cell.step.title]))
    const text = (row: string, column: string) => {
      const there = own.filter((one) => rowOf(one) === row && columnOf(one) === column)
      const possible = there.filter(({ result }) => result !== 'skipped')
      if (there.length === 0) return `– ${letter('no cell: the suite injects this fault at other steps')}`
      const letters = [
        ...new Set(there.flatMap(({ result, why }) => (result === 'skipped' ? [letter(why[0] ?? '')] : []))),
      ]
      const passed = countOf(possible, 'passed')
      const sum =
        possible.length === 0 ? '–' : `${passed}/${possible.length}${passed < possible.length ? ' **FAILED**' : ''}`
      return [sum, ...letters].join(' ')
    }
    return [
      `### ${command}`,
      '',
      `| ${ofResponses ? 'response' : 'step'} | | ${columns.join(' | ')} |`,
      `|---|---|${columns.map(() => '---|').join('')}`,
      ...[...titles].map(
        ([row, title]) => `| ${row} | ${title} | ${columns.map((column) => text(row, column)).join(' | ')} |`,
      ),
      '',
    ]
  })
  return [...lines, ...reasons.map((reason, index) => `${String.fromCharCode(97 + index)}: ${reason}.  `)]
}
