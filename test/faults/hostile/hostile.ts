import type { SuiteOptions, SuiteOutcome } from '../suites.ts'
import { underLoad } from './load.ts'

/** Everything that strangers and other tenants do on purpose. Too long for the reduced form. */
export async function beHostile(options: SuiteOptions): Promise<SuiteOutcome[]> {
  if (options.reduced) return []
  const outcomes = await underLoad(options)
  if (options.cell && outcomes.length === 0) throw new Error(`there is no cell ${options.cell}`)
  return outcomes
}
