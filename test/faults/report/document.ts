import { execFileSync } from 'node:child_process'
import { projectFolder } from '../../../local/run-script.ts'
import type { AnyCell } from '../cells.ts'
import { SUITES, type SuiteName } from '../suites.ts'
import { grid } from './document-grid.ts'
import { countOf, type SuiteResult } from './report.ts'
import type { SuiteOutcome } from './suite-outcome.ts'

const HEAD = `# Faults: what was broken on purpose, and what came of it

Written by \`npm run torture -- <suites> --write\`; each part says when and at which commit. A cell is a command at one
step when one fault strikes; \`npm run torture -- crash --cell <victim>:<step>:<fault>:<adapter>:<seed>\` starts it again
alone. A number is how many cells passed, one for each seed at each adapter that has the step; a letter says why the
others have none.
What has to hold in each cell: one effect at the PSP, by its own ledger; every request with our key, a repeated one with
the same; the status never goes back and ends as the PSP's truth; ledger, timeline and rows tell of one effect; outbox,
locks and runs are empty afterwards; the bytes at the PSP are the bytes that were uploaded; of a dispute that is stored twice one answer
is taken, and nothing of one merchant is in an answer to another; of an integration's secrets one is left; and one order explains what the
command's client, a second one that comes between and one that only reads were told.
`

/** The document with the parts of these suites replaced; what was not run now stays as it was. `how`: on what, and by which command. */
export function faultsDocument(before: string | null, results: readonly SuiteResult[], how: string): string {
  const parts = (Object.keys(SUITES) as SuiteName[]).map((name) => {
    const mark = `<!-- ${name} -->`
    const result = results.find((one) => one.name === name)
    if (result) return `${mark}\n${partOf(name, result, how)}\n<!-- /${name} -->`
    const old = before?.slice(before.indexOf(mark), before.indexOf(`<!-- /${name} -->`))
    return before?.includes(mark) ? `${old}<!-- /${name} -->` : `${mark}\n## ${name}\n\nNot run yet.\n<!-- /${name} -->`
  })
  return `${HEAD}\n${parts.join('\n\n')}\n`
}

/** What a run is about: the tree that it began with, whatever is committed while it lasts. */
export const commitNow = () =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectFolder, encoding: 'utf8' }).trim()

function partOf(name: SuiteName, { outcomes, ms, recalled }: SuiteResult, how: string): string {
  const seconds = Math.round(ms / 1000)
  const earlier = recalled > 0 ? ` and those of ${recalled} seeds in earlier runs` : ''
  return [
    `## ${name}: ${SUITES[name].title}`,
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

/** Rows are steps, columns strikes; for the answers of a PSP rows are answers, columns requests. */
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
    const answers = own[0]?.cell.strike.startsWith('psp:') ?? false
    const rowOf = ({ cell }: { cell: AnyCell }) => (answers ? cell.strike.slice(4) : cell.step.key)
    const columnOf = ({ cell }: { cell: AnyCell }) => (answers ? cell.step.key : cell.strike)
    const columns = [...new Set(own.map(columnOf))]
    const titles = new Map(own.map((one) => [rowOf(one), answers ? '' : one.cell.step.title]))
    const text = (row: string, column: string) => {
      const there = own.filter((one) => rowOf(one) === row && columnOf(one) === column)
      const possible = there.filter(({ result }) => result !== 'skipped')
      if (there.length === 0) return `– ${letter('no cell: the suite brings this fault about at other steps')}`
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
      `| ${answers ? 'answer' : 'step'} | | ${columns.join(' | ')} |`,
      `|---|---|${columns.map(() => '---|').join('')}`,
      ...[...titles].map(
        ([row, title]) => `| ${row} | ${title} | ${columns.map((column) => text(row, column)).join(' | ')} |`,
      ),
      '',
    ]
  })
  return [...lines, ...reasons.map((reason, index) => `${String.fromCharCode(97 + index)}: ${reason}.  `)]
}
