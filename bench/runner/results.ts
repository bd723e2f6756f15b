import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../local/run-script.ts'
import { readGates } from './gates.ts'
import type { Line } from './metric.ts'
import { reportDocument } from './report.ts'

const RESULTS = join(projectFolder, 'bench', 'results.jsonl')
const DOCUMENT = join(projectFolder, 'docs', 'benchmarks.md')

export function readResults(): Line[] {
  if (!existsSync(RESULTS)) return []
  const lines = readFileSync(RESULTS, 'utf8').trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line)
}

/** What docs/benchmarks.md has to be. */
export const benchmarksDocument = (): string => reportDocument(readGates(), readResults())

/** Puts the lines of a benchmark in place of its former ones, and writes docs/benchmarks.md anew. */
export function keepResults(benchmark: string, lines: readonly Line[]): void {
  const others = readResults().filter(({ name }) => !name.startsWith(`${benchmark}.`))
  const kept = [...others, ...lines]
  writeFileSync(RESULTS, `${kept.map((line) => JSON.stringify(line)).join('\n')}\n`)
  writeFileSync(DOCUMENT, benchmarksDocument())
}
