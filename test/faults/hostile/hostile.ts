import type { SuiteOptions, SuiteOutcome } from '../suites.ts'
import { feedHostileFiles } from './files.ts'

/** Parts of the suite; `--part` runs one. */
const PARTS: Record<string, (options: SuiteOptions) => Promise<SuiteOutcome[]>> = {
  files: feedHostileFiles,
}

/** @throws a sentence for the terminal */
export async function beHostile(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { part } = options
  if (part !== undefined && !PARTS[part]) throw new Error(`there is no part ${part}: ${Object.keys(PARTS).join(', ')}`)
  const outcomes: SuiteOutcome[] = []
  for (const [name, run] of Object.entries(PARTS))
    if (part === undefined || part === name) outcomes.push(...(await run(options)))
  return outcomes
}
