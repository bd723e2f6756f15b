import { APPLIED, FOUND } from '../../../db/commands/psp-operations.ts'

/** What the ledger, the timeline and the PSP say about one command's effect. */
export interface Account {
  /** The row of the ledger of effects; null if there is none. */
  operation: { state: string; outcome: string | null } | null
  /** Ends of the command in the timeline, and whether each one says "found at the PSP". */
  ends: readonly { what: string; foundAtPsp: boolean }[]
  /** Requests of this kind in the PSP's call log. */
  calls: number
  /** Effects in the PSP's own ledger. */
  effects: number
}

/**
 * I10: "applied" needs a call of ours, "found at the PSP" excludes one, and each effect of ours is reported once, as
 * ours.
 * @returns violations
 */
export function againstCallLog({ operation, ends, calls, effects }: Account): string[] {
  const broken: string[] = []
  const confirmed = operation?.state === 'confirmed'
  const succeeded = ends.filter(({ what }) => what.endsWith(' succeeded'))
  if (confirmed && operation.outcome === APPLIED && calls === 0)
    broken.push('the ledger says applied, and the PSP was never called')
  if (confirmed && operation.outcome === FOUND && effects > 0)
    broken.push('the ledger says found at the PSP, where a call of ours did it')
  if (effects > 0 && !confirmed)
    broken.push(`a call of ours took effect, and the ledger says ${operation?.state ?? 'nothing'}`)
  if (effects > 0 && succeeded.length !== 1)
    broken.push(`a call of ours took effect, reported ${succeeded.length} times`)
  if (effects === 0 && calls === 0 && succeeded.some(({ foundAtPsp }) => !foundAtPsp))
    broken.push('the timeline reports a success as ours, and the PSP was never called')
  if (effects > 0 && succeeded.some(({ foundAtPsp }) => foundAtPsp))
    broken.push('the timeline says found at the PSP, where a call of ours did it')
  return broken
}
