import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { feedHostileFiles } from './files.ts'
import { underLoad } from './load.ts'

/** Parts of the suite; `--part` runs one. */
const PARTS: Record<string, (options: SuiteOptions) => Promise<SuiteOutcome[]>> = {
  files: feedHostileFiles,
  // Too long for the reduced form.
  load: async (options) => (options.reduced ? [] : underLoad(options)),
}

/** @throws an error whose message is for the terminal */
export async function beHostile(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { part } = options
  if (part !== undefined && !PARTS[part]) throw new Error(`there is no part ${part}: ${Object.keys(PARTS).join(', ')}`)
  const outcomes: SuiteOutcome[] = []
  for (const [name, run] of Object.entries(PARTS))
    if (part === undefined || part === name) outcomes.push(...(await run(options)))
  if (options.cell && outcomes.length === 0) throw new Error(`there is no cell ${options.cell}`)
  return outcomes
}
