import { nameOf, type Outcome, type Selection } from './cells.ts'

/** One line per bout, one more per cell that failed, with the command that starts it again alone. */
export function printOutcome(outcomes: readonly Outcome[], ms: number): void {
  const [first] = outcomes
  if (!first) return
  const failed = outcomes.filter(({ result }) => result === 'failed')
  const seconds = (ms / 1000).toFixed(1)
  const { strike, seed } = first.cell
  const commands = [...new Set(outcomes.map(({ cell }) => cell.step.command))].join(' and ')
  const what = strike.startsWith('psp:') ? "the PSP's answers" : strike
  console.log(`  ${what}, ${commands}, seed ${seed}: ${outcomes.length} cells, ${failed.length} failed, ${seconds} s`)
  for (const { cell, why, story = [] } of failed) {
    console.log(
      `    FAILED  npm run torture -- ${strike.startsWith('psp:') ? 'ambiguous' : 'crash'} --cell ${nameOf(cell)}`,
    )
    for (const sentence of why) console.log(`            ${sentence}`)
    for (const line of story) console.log(`              | ${line}`)
  }
}

/** @returns whether nothing failed */
export function summarise(
  results: readonly { name: string; outcomes: readonly Outcome[] }[],
  _options: Selection,
  ms: number,
): boolean {
  const all = results.flatMap(({ outcomes }) => outcomes)
  const count = (result: Outcome['result']) => all.filter((one) => one.result === result).length
  const reasons = new Map<string, number>()
  for (const { result, why } of all)
    if (result === 'skipped') reasons.set(why[0] ?? '', (reasons.get(why[0] ?? '') ?? 0) + 1)
  for (const [reason, cells] of reasons) console.log(`  skipped ${cells}: ${reason}`)
  console.log(
    `\n${count('passed')} cells passed, ${count('failed')} failed, ${count('skipped')} skipped in ${Math.round(ms / 1000)} s`,
  )
  return count('failed') === 0
}
