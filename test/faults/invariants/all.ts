import { commandsEnd } from './commands.ts'
import { effectsOnce, keysOfAll } from './effects.ts'
import { nothingLeft } from './leftovers.ts'
import { statusesTrue } from './truth.ts'
import type { Evidence, Violation } from './violation.ts'

/** Every invariant of commands, looked at together. Call it when everything has come to rest. */
export async function brokenBy(evidence: Evidence): Promise<Violation[]> {
  const left = await nothingLeft(evidence)
  const found = await Promise.all([commandsEnd(evidence), statusesTrue(evidence)])
  return [...left, ...found.flat(), ...effectsOnce(evidence), ...keysOfAll(evidence)]
}
