import fc from 'fast-check'
import { SUBJECTS } from '../../adapters/conformance/subjects.ts'
import { newModel } from './command.ts'
import { commandsFor } from './commands.ts'
import { finish } from './end-of-life.ts'
import { type Life, startLife } from './life.ts'
import type { Simulation } from './world.ts'

/** Maximum commands of one life. */
const LONGEST = 120

/** Time for shrinking a failing life, real ms. */
const LONGEST_SEARCH_MS = 60_000

export interface LifeEnd {
  /** Of the trace; null when the life failed. */
  hash: string | null
  /** Commands that were run, with the outcome of each. */
  trace: readonly string[]
  /** The violation, with the shortest life that shows it. */
  failure: string | null
}

export const PSPS = SUBJECTS.map(({ simulator }) => simulator.source)

/** One life. Its seed determines commands, times and the random choices of the simulated PSP. */
export async function live(simulation: Simulation, psp: string, seed: number, shrinking = true): Promise<LifeEnd> {
  const subject = SUBJECTS.find(({ simulator }) => simulator.source === psp)
  if (!subject) throw new Error(`there is no PSP ${psp}; there are ${PSPS.join(', ')}`)
  let latest: Life | undefined
  const started = performance.now()
  const commands = fc.commands([commandsFor(subject)], { maxCommands: LONGEST, size: 'max' })
  const property = fc.asyncProperty(commands, async (sequence) => {
    fc.pre(performance.now() - started < LONGEST_SEARCH_MS)
    const life = await startLife(simulation, subject, String(seed))
    latest = life
    const setup = () => ({ model: newModel(), real: life })
    await fc.asyncModelRun(setup, sequence)
    await finish(life)
  })
  const options = { seed, numRuns: 1, endOnFailure: !shrinking }
  const { failed, errorInstance, numShrinks, counterexample } = await fc.check(property, options)
  const trace = latest?.trace ?? []
  if (!failed) return { hash: latest?.hash() ?? null, trace, failure: null }
  const story = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  const failure = [
    `npm run sim -- --psp ${psp} --seed ${seed} --lives 1`,
    `after shrinking it ${numShrinks} times: ${String(counterexample?.[0])}`,
    story,
  ].join('\n')
  return { hash: null, trace, failure }
}
