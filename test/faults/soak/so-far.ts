import type { EffectRecord } from '../../../simulators/engine/contract.ts'
import type { CommandKind } from '../steps.ts'

const ORDER = ['created', 'inProgress', 'succeeded', 'failed']

/**
 * Invariants that hold at any time: one effect per chargeback in the PSPs' own ledgers, of the requested command (I2,
 * I5), and no status that went back (I4).
 * @param asked commands by the PSP's id
 * @param states of each command, in the order in which they were seen
 * @returns violations
 */
export function brokenSoFar(
  asked: ReadonlyMap<string, CommandKind>,
  effects: Iterable<Pick<EffectRecord, 'ref' | 'kind'>>,
  states: Iterable<readonly [commandId: string, seen: readonly string[]]>,
): string[] {
  const sentences: string[] = []
  const seen = new Set<string>()
  for (const { ref, kind } of effects) {
    if (ref === null || kind === 'upload' || !asked.has(ref)) continue
    if (seen.has(ref)) sentences.push(`I2: ${ref} has two effects`)
    seen.add(ref)
    if (asked.get(ref) !== kind) sentences.push(`I5: ${ref} has the effect of a ${kind}`)
  }
  for (const [commandId, some] of states) {
    const ranks = some.map((status) => ORDER.indexOf(status))
    const ends = new Set(some.filter((status) => status === 'succeeded' || status === 'failed'))
    if (ends.size > 1 || ranks.some((rank, index) => rank < (ranks[index - 1] ?? 0)))
      sentences.push(`I4: command ${commandId} went ${some.join(' → ')}`)
  }
  return sentences
}
