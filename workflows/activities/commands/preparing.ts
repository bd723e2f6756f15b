import { ApplicationFailure } from '@temporalio/common'
import { PspError } from '../../../adapters/errors.ts'
import {
  markOperation,
  markSending,
  openOperation,
  type PspOperation,
  raiseGeneration,
  renewKey,
} from '../../../db/commands/psp-operations.ts'
import { isOverdue } from '../../../domain/deadlines.ts'
import type { ActivityDeps } from '../deps.ts'
import { WRITE_WINDOW_MS } from './effects.ts'
import type { Work } from './work.ts'

/**
 * Runs a reversible step before the submission, such as an upload or the staging. It has a row and a key in the ledger
 * of effects. After an unknown outcome it is simply repeated.
 */
export async function prepareOnce(
  deps: ActivityDeps,
  { command }: Work,
  effect: string,
  step: (idempotencyKey: string) => Promise<void>,
): Promise<void> {
  if (isOverdue(command.dueDate, deps.now()))
    throw ApplicationFailure.nonRetryable('The due date passed before anything could be sent.', 'overdue')
  const opened = await openOperation(deps.db, command.commandId, effect)
  const operation = outlived(opened, deps.now()) ? await renewKey(deps.db, opened) : opened
  // Confirmed before but required again: the PSP no longer has it, so claim it anew.
  const sending = await markSending(deps.db, operation, command.commandId, { again: true })
  if (!sending) throw new PspError('unavailable', 'another attempt has taken over, or the command has ended')
  try {
    await step(operation.idempotencyKey)
  } catch (error) {
    const kind = error instanceof PspError ? error.kind : 'outcome_unknown'
    await markOperation(deps.db, sending, kind === 'outcome_unknown' ? 'unknown' : 'rejected', { outcome: kind })
    if (error instanceof PspError && error.replayed) await raiseGeneration(deps.db, operation)
    throw error
  }
  await markOperation(deps.db, sending, 'confirmed', { outcome: 'applied' })
}

/** The PSP may have dropped the key: repeat the step under a new one, whatever its outcome under the old one. */
const outlived = ({ firstSentAt }: PspOperation, now: Date) =>
  firstSentAt !== null && now.getTime() - firstSentAt.getTime() > WRITE_WINDOW_MS
