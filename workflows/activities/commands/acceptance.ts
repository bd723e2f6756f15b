import { PspError } from '../../../adapters/errors.ts'
import { endCommand, flagCommand } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, loadCommand } from '../../../db/commands/commands.ts'
import { wasFound } from '../../../db/commands/psp-operations.ts'
import { effectName } from '../../../domain/dispute.ts'
import type { ActivityDeps } from '../deps.ts'
import { type Action, applyOnce, type EffectOutcome } from './effects.ts'

/** Probe, accept and confirm in one attempt; see `applyOnce`. */
export async function acceptAtPsp(deps: ActivityDeps, input: { acceptanceId: string }): Promise<EffectOutcome> {
  return applyOnce(deps, input.acceptanceId, async (command) => acceptance(command))
}

export function acceptance(command: CommandAtWork): Action {
  const { reference, source } = command
  return {
    effect: effectName('accept', command, command.round),
    question: { kind: 'acceptance', reference },
    prepare: async () => async (adapter, call) => {
      if (!adapter.acceptDispute) throw new PspError('invalid_request', `${source} takes no acceptance`)
      return adapter.acceptDispute({ reference, ...call })
    },
  }
}

/** Timeline detail of a command that succeeded without a call by Recoup. */
export const FOUND_AT_PSP = { foundAtPsp: true }

/** Records the acceptance that the PSP confirmed. */
export async function recordAcceptance(deps: ActivityDeps, input: { acceptanceId: string }): Promise<void> {
  await recordSuccess(deps, input.acceptanceId)
}

/**
 * Updates the command, the chargeback and the timeline in one transaction. The timeline says when Recoup had nothing to
 * send.
 */
export async function recordSuccess(deps: ActivityDeps, commandId: string): Promise<void> {
  const command = await loadCommand(deps.db, commandId)
  if (!command) return
  await deps.db.transaction().execute(async (trx) => {
    const about = (await wasFound(trx, commandId)) ? FOUND_AT_PSP : {}
    await endCommand(trx, command, { status: 'succeeded' }, command.source, about)
  })
}

/** Records a definite refusal, with a sentence for the merchant. @returns whether the command is closed */
export async function recordRefusal(
  deps: ActivityDeps,
  input: { commandId: string; kind: string; message: string },
): Promise<{ ended: boolean }> {
  const command = await loadCommand(deps.db, input.commandId)
  if (!command) return { ended: true }
  const end = { status: 'failed', code: input.kind, error: input.message } as const
  if (await endCommand(deps.db, command, end, command.source)) return { ended: true }
  // An earlier call in the ledger may have been applied: the refusal of another call does not make it failed.
  const reason = 'refused, while an earlier call is still open'
  return { ended: !(await flagForOperators(deps, { commandId: input.commandId, reason })) }
}

/** @returns false when the command is closed, for example after an operator reset its run */
export async function flagForOperators(
  deps: ActivityDeps,
  input: { commandId: string; reason: string },
): Promise<boolean> {
  if (!(await flagCommand(deps.db, input.commandId, input.reason))) return false
  deps.log.warn({ commandId: input.commandId, reason: input.reason }, 'command needs attention')
  return true
}
