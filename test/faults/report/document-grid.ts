import type { SuiteOutcome } from './suite-outcome.ts'

const WORDS = { passed: 'passed', failed: '**FAILED**', skipped: '–' }

/**
 * Tables of the outcomes that have a place, one for each set of columns, followed by failures and reasons for skips.
 */
export function grid(outcomes: readonly SuiteOutcome[]): string[] {
  const placed = outcomes.flatMap((one) => (one.place ? [{ ...one, ...one.place }] : []))
  const rows = [...new Set(placed.map(({ row }) => row))]
  const columnsOf = (row: string) => placed.filter((one) => one.row === row).map(({ column }) => column)
  const sets = new Map<string, string[]>()
  for (const row of rows) {
    const key = columnsOf(row).toSorted().join(' | ')
    sets.set(key, [...(sets.get(key) ?? []), row])
  }
  const tables = [...sets].flatMap(([columns, own]) => [
    `| | ${columns} |`,
    `|---|${columns.replaceAll(/[^|]+/g, '---')}|`,
    ...own.map((row) => {
      const cells = columns.split(' | ').map((column) => placed.find((one) => one.row === row && one.column === column))
      return `| ${row} | ${cells.map((one) => WORDS[one?.result ?? 'skipped']).join(' | ')} |`
    }),
    '',
  ])
  const reasons = new Set(placed.flatMap(({ result, why }) => (result === 'skipped' ? why : [])))
  const failed = placed.filter(({ result }) => result === 'failed')
  return [
    ...tables,
    ...[...reasons].map((reason) => `–: ${reason}`),
    ...failed.map(({ name, why }) => `- ${name}: ${why.join('; ')}`),
  ]
}
