import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import type { Adapter, ProbeAnswer, ProbeQuestion, Receipt, WriteRequest } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { type CommandAtWork, loadCommand } from '../../../db/commands/commands.ts'
import {
  APPLIED,
  FOUND,
  markOperation,
  markSending,
  openOperation,
  type PspOperation,
  REPLAYED,
  raiseGeneration,
  recordTaken,
  TAKEN,
} from '../../../db/commands/psp-operations.ts'
import { isOverdue } from '../../../domain/deadlines.ts'
import type { ActivityDeps } from '../deps.ts'
import { ExpectedWait } from '../failures.ts'
import { connectWork, probeAtPsp, unfinishedCommand, type Work } from './work.ts'

/** PSPs keep idempotency keys for a day. Later than this after the first call, only reads are made. */
export const WRITE_WINDOW_MS = 23 * 60 * 60 * 1000
/** Wait before the confirming read is repeated, because reads may lag behind a write. */
const SECOND_LOOK_MS = 2_000
const definite: readonly string[] = DEFINITE_KINDS

/** An effect on a dispute at its PSP, applied once. */
export interface Action {
  /** Identity of the effect: dispute, action, round. Independent of attempt, workflow run and clock. */
  effect: string
  question: ProbeQuestion
  /** Collects the call's inputs before the call is claimed, and returns the call. */
  prepare(): Promise<(adapter: Adapter, call: Call) => Promise<Receipt>>
}

type Call = Pick<WriteRequest, 'idempotencyKey' | 'sent'>

export interface EffectOutcome {
  probe: ProbeAnswer['answer']
  sent: boolean
  confirmed: true
}

/**
 * Probe, write and confirm in one attempt, so that no write follows an outdated probe. Throws definite refusals as
 * non-retryable only when no call by Recoup may still be in flight.
 */
export async function applyOnce(
  deps: ActivityDeps,
  commandId: string,
  actionOf: (command: CommandAtWork) => Promise<Action>,
): Promise<EffectOutcome> {
  let sentBefore = false
  try {
    const command = await unfinishedCommand(deps, commandId)
    if (!command) return { probe: 'done', sent: false, confirmed: true }
    const action = await actionOf(command)
    const operation = await openOperation(deps.db, command.commandId, action.effect)
    // An earlier read confirmed the effect; later changes of the dispute do not undo it.
    if (operation.state === 'confirmed') return { probe: 'done', sent: false, confirmed: true }
    sentBefore = operation.state === 'submitting' || operation.state === 'unknown'
    return await attempt(deps, await connectWork(deps, command), action, operation, sentBefore)
  } catch (error) {
    // A refused read says nothing about the earlier call.
    if (sentBefore && error instanceof PspError && definite.includes(error.kind)) throw stillOpen(error)
    throw error
  }
}

/** Keeps the sentence of the failed call, to explain why the command stays open. */
const stillOpen = (error: unknown) =>
  new PspError(
    'outcome_unknown',
    [
      ...(error instanceof PspError || error instanceof ApplicationFailure ? [error.message] : []),
      'An earlier call may have been applied; the next attempt reads first.',
    ].join(' '),
  )

async function attempt(
  deps: ActivityDeps,
  work: Work,
  action: Action,
  operation: PspOperation,
  sentBefore: boolean,
): Promise<EffectOutcome> {
  const question = { ...action.question, sent: sentBefore, taken: sentBefore && operation.outcome === TAKEN }
  let probe = await probeAtPsp(deps, work, question)
  if (probe.answer === 'not_done' && sentBefore) {
    await sleep(SECOND_LOOK_MS)
    probe = await probeAtPsp(deps, work, question)
  }
  if (probe.answer === 'done') {
    await markOperation(deps.db, operation, 'confirmed', { outcome: sentBefore ? APPLIED : FOUND })
    return { probe: 'done', sent: sentBefore, confirmed: true }
  }
  if (probe.answer === 'impossible') {
    await markOperation(deps.db, operation, 'rejected', { outcome: 'impossible' })
    throw ApplicationFailure.nonRetryable(probe.why, 'rejected_final')
  }
  if (probe.answer === 'unknown' && !(probe.repeatable && maySucceed(operation)))
    throw probe.awaited ? new ExpectedWait() : new PspError('unavailable', probe.why)
  await refuseOutlived(deps, work, operation, sentBefore)
  await refuseLate(deps, work, operation, sentBefore)
  // Only this read may change the key of the next call.
  const claim = operation.outcome === REPLAYED ? await raiseGeneration(deps.db, operation) : operation
  return send(deps, work, action, claim, sentBefore)
}

/** Whether repeating the call may tell what became of it: the PSP has not responded yet with anything but success. */
const maySucceed = ({ outcome }: PspOperation) => outcome !== REPLAYED && !definite.includes(outcome ?? '')

/**
 * A request of one round is not sent in the next one: the probe may have shown that the PSP has opened a new round, and
 * a call in the earlier round says nothing about this one.
 */
async function refuseOutlived(deps: ActivityDeps, { command }: Work, operation: PspOperation, sentBefore: boolean) {
  if (!(await isOutlived(deps, command))) return
  if (sentBefore) throw new PspError('outcome_unknown', 'the PSP asks anew; only reads are made about the round before')
  await markOperation(deps.db, operation, 'rejected', { outcome: 'a new round' })
  const sentence =
    'The PSP asks for an answer anew, in a further stage or round: look at the chargeback and request it again.'
  throw ApplicationFailure.nonRetryable(sentence, 'rejected_final')
}

/** Whether the chargeback has moved to a later round than the command's. */
export async function isOutlived(deps: ActivityDeps, command: CommandAtWork): Promise<boolean> {
  const now = await loadCommand(deps.db, command.commandId)
  return now !== null && now.chargebackRound !== command.round
}

/** Sends nothing after the due date, or after the PSP may have dropped the key: from then on only reads are made. */
async function refuseLate(deps: ActivityDeps, { command }: Work, operation: PspOperation, sentBefore: boolean) {
  const now = deps.now()
  const overdue = isOverdue(command.dueDate, now)
  if (overdue && !sentBefore) {
    await markOperation(deps.db, operation, 'rejected', { outcome: 'overdue' })
    throw ApplicationFailure.nonRetryable('The due date passed before anything could be sent.', 'overdue')
  }
  if (overdue || (operation.firstSentAt && now.getTime() - operation.firstSentAt.getTime() > WRITE_WINDOW_MS))
    throw new PspError('outcome_unknown', 'too late for another call; only reads are made from now on')
}

async function send(
  deps: ActivityDeps,
  work: Work,
  action: Action,
  operation: PspOperation,
  sentBefore: boolean,
): Promise<EffectOutcome> {
  const write = await action.prepare().catch((error: unknown) => {
    throw sentBefore && error instanceof ApplicationFailure ? stillOpen(error) : error
  })
  const sending = await markSending(deps.db, operation, work.command.commandId)
  if (!sending) throw new PspError('unavailable', 'another attempt has taken over, or the command has ended')
  // The due date may have passed since the last check; the call itself stops there too.
  await refuseLate(deps, work, sending, sentBefore)
  const until = work.command.dueDate?.getTime()
  const { idempotencyKey } = operation
  const { result, requestId } = await work.psp
    .call((adapter) => write(adapter, { idempotencyKey, sent: sentBefore }), until)
    .catch((error: unknown) => judgeRefusal(deps, sending, error, sentBefore))
  const applied = result !== 'already_applied'
  if (applied) await recordTaken(deps.db, sending, requestId)
  const sent = sentBefore || applied
  const taken = applied || (sentBefore && operation.outcome === TAKEN)
  const confirmation = await probeAtPsp(deps, work, { ...action.question, sent, taken })
  if (confirmation.answer === 'done') {
    await markOperation(deps.db, sending, 'confirmed', { outcome: sent ? APPLIED : FOUND, requestId })
    return { probe: 'not_done', sent, confirmed: true }
  }
  if (sent && confirmation.awaited) throw new ExpectedWait()
  if (sent) throw new PspError('outcome_unknown', 'the PSP took it and does not show it yet')
  await markOperation(deps.db, sending, 'rejected', { outcome: 'nothing was sent' })
  if (confirmation.answer === 'impossible') throw ApplicationFailure.nonRetryable(confirmation.why, 'rejected_final')
  throw new PspError('unavailable', 'the PSP had it without a call of ours, and does not show it any more')
}

/** Always throws. A refusal is definite only when no earlier call by Recoup may have been applied. */
async function judgeRefusal(
  deps: ActivityDeps,
  operation: PspOperation,
  error: unknown,
  sentBefore: boolean,
): Promise<never> {
  const kind = error instanceof PspError ? error.kind : 'outcome_unknown'
  const notApplied = definite.includes(kind) || kind === 'unavailable' || kind === 'rate_limited'
  if (notApplied && !sentBefore) {
    await markOperation(deps.db, operation, 'rejected', { outcome: kind })
    throw error
  }
  const replayed = error instanceof PspError && error.replayed
  await markOperation(deps.db, operation, 'unknown', { outcome: replayed ? REPLAYED : kind })
  if (kind === 'rate_limited') throw error
  throw stillOpen(error)
}
