import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { ProbeAnswer } from '../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../adapters/errors.ts'
import { beginCommand, endCommand, flagCommand } from '../../db/command-ends.ts'
import { type CommandAtWork, loadCommand } from '../../db/commands.ts'
import { type Connection, loadConnection } from '../../db/connections.ts'
import {
  markOperation,
  markSending,
  openOperation,
  type PspOperation,
  raiseGeneration,
} from '../../db/psp-operations.ts'
import type { ActivityDeps } from './deps.ts'
import { storeReading } from './pages.ts'
import { type AtPsp, connectAtPsp } from './psp.ts'

/** A PSP forgets keys after a day; later than this after the first call only reads are made. */
const WRITE_WINDOW_MS = 23 * 60 * 60 * 1000
/** A read right after a write may lag behind it. */
const SECOND_LOOK_MS = 2_000
const definite: readonly string[] = DEFINITE_KINDS

export interface AcceptanceOutcome {
  probe: ProbeAnswer['answer']
  sent: boolean
  confirmed: true
}

/**
 * Probe, accept, confirm: one attempt holds all three, so that no write ever follows an old probe. Throws definite
 * refusals as non-retryable only when nothing of ours may still be on its way.
 */
export async function acceptAtPsp(deps: ActivityDeps, input: { acceptanceId: string }): Promise<AcceptanceOutcome> {
  let sentBefore = false
  try {
    const command = await loadCommand(deps.db, input.acceptanceId)
    const connection = command && (await loadConnection(deps.db, command.integrationId))
    if (!command || !connection) throw ApplicationFailure.nonRetryable('the acceptance does not exist', 'not_found')
    await beginCommand(deps.db, command.commandId)
    const operation = await openOperation(deps.db, command.commandId, effectOf(command))
    sentBefore = operation.state === 'submitting' || operation.state === 'unknown'
    const psp = connectAtPsp(deps, connection, 'command', Context.current().cancellationSignal)
    return await attempt(deps, command, connection, psp, operation, sentBefore)
  } catch (error) {
    // A refused read says nothing about the call that went before it.
    if (sentBefore && error instanceof PspError && definite.includes(error.kind)) throw stillOpen()
    throw error
  }
}

const stillOpen = () =>
  new PspError('outcome_unknown', 'an earlier call may have been applied; the next attempt reads first')

/** The identity of the effect: chargeback, action, round. Never the attempt, the run, the clock. */
export const effectOf = (command: CommandAtWork) => `accept:${command.chargebackId}:${command.round}`

async function attempt(
  deps: ActivityDeps,
  command: CommandAtWork,
  connection: Connection,
  psp: AtPsp,
  operation: PspOperation,
  sentBefore: boolean,
): Promise<AcceptanceOutcome> {
  await deps.reached('accept.before_probe', command.chargebackId)
  let probe = await look(deps, command, connection, psp)
  if (probe.answer === 'not_done' && sentBefore) {
    await sleep(SECOND_LOOK_MS)
    probe = await look(deps, command, connection, psp)
  }
  if (probe.answer === 'done') {
    await markOperation(deps.db, operation, 'confirmed', { outcome: sentBefore ? 'applied' : 'already applied' })
    return { probe: 'done', sent: sentBefore, confirmed: true }
  }
  if (probe.answer === 'impossible') {
    await markOperation(deps.db, operation, 'rejected', { outcome: 'impossible' })
    throw ApplicationFailure.nonRetryable(probe.why, 'rejected_final')
  }
  if (probe.answer === 'unknown') throw new PspError('unavailable', 'the PSP did not say whether it was accepted')
  if (operation.firstSentAt && deps.now().getTime() - operation.firstSentAt.getTime() > WRITE_WINDOW_MS)
    throw new PspError('outcome_unknown', 'too late for another call; only reads are made from now on')
  return send(deps, command, connection, psp, operation, sentBefore)
}

async function send(
  deps: ActivityDeps,
  command: CommandAtWork,
  connection: Connection,
  psp: AtPsp,
  operation: PspOperation,
  sentBefore: boolean,
): Promise<AcceptanceOutcome> {
  await deps.reached('accept.before_psp', command.chargebackId)
  await markSending(deps.db, operation)
  await deps.reached('accept.before_call', command.chargebackId)
  let requestId: string | null = null
  try {
    const receipt = await psp.call(async (adapter) => {
      if (!adapter.acceptDispute) throw new PspError('invalid_request', `${connection.source} takes no acceptance`)
      return adapter.acceptDispute({ reference: command.reference, idempotencyKey: operation.idempotencyKey })
    })
    requestId = receipt.requestId
  } catch (error) {
    await judgeRefusal(deps, operation, error, sentBefore)
  }
  await deps.reached('accept.after_psp', command.chargebackId)
  const confirmation = await look(deps, command, connection, psp)
  if (confirmation.answer !== 'done')
    throw new PspError('outcome_unknown', 'the PSP took the acceptance and does not show it yet')
  await markOperation(deps.db, operation, 'confirmed', { outcome: 'applied', requestId })
  return { probe: 'not_done', sent: true, confirmed: true }
}

/** Always throws: a refusal is definite only when no earlier call of ours may have arrived. */
async function judgeRefusal(
  deps: ActivityDeps,
  operation: PspOperation,
  error: unknown,
  sentBefore: boolean,
): Promise<never> {
  const kind = error instanceof PspError ? error.kind : 'outcome_unknown'
  const refused = definite.includes(kind)
  const notApplied = refused || kind === 'unavailable' || kind === 'rate_limited'
  if (notApplied && !sentBefore) {
    await markOperation(deps.db, operation, 'rejected', { outcome: kind })
    throw error
  }
  await markOperation(deps.db, operation, 'unknown', { outcome: kind })
  if (error instanceof PspError && error.replayed) await raiseGeneration(deps.db, operation)
  if (kind === 'rate_limited') throw error
  throw stillOpen()
}

/** Asks the PSP, and keeps what it showed: each probe is a refresh too. */
export async function look(
  deps: ActivityDeps,
  command: CommandAtWork,
  connection: Connection,
  psp: AtPsp,
): Promise<ProbeAnswer> {
  const readAt = deps.now()
  const answer = await psp.call(async (adapter) => {
    if (!adapter.probe) throw new PspError('invalid_request', `${connection.source} can't be asked about acceptances`)
    return adapter.probe({ kind: 'acceptance', reference: command.reference })
  })
  await storeReading(deps, connection, psp.definition, answer.dispute, readAt)
  return answer
}

/** Projects the end that the PSP confirmed. */
export async function recordAcceptance(deps: ActivityDeps, input: { acceptanceId: string }): Promise<void> {
  const command = await loadCommand(deps.db, input.acceptanceId)
  await deps.reached('accept.before_record', command?.chargebackId)
  if (command) await endCommand(deps.db, command, { status: 'succeeded' }, command.source)
  await deps.reached('accept.after_record', command?.chargebackId)
}

/** Projects a definite refusal, with a sentence for the merchant. */
export async function recordRefusal(
  deps: ActivityDeps,
  input: { acceptanceId: string; kind: string; message: string },
): Promise<void> {
  const command = await loadCommand(deps.db, input.acceptanceId)
  if (command)
    await endCommand(deps.db, command, { status: 'failed', code: input.kind, error: input.message }, command.source)
}

export async function flagForOperators(
  deps: ActivityDeps,
  input: { acceptanceId: string; reason: string },
): Promise<void> {
  await flagCommand(deps.db, input.acceptanceId, input.reason)
  deps.log.warn({ commandId: input.acceptanceId, reason: input.reason }, 'command needs attention')
}
