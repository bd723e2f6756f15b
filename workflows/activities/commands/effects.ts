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
  recordRequestId,
} from '../../../db/commands/psp-operations.ts'
import { isOverdue } from '../../../domain/deadlines.ts'
import type { ActivityDeps } from '../deps.ts'
import { ExpectedWait } from '../failures.ts'
import { connectWork, look, unfinishedCommand, type Work } from './work.ts'

/** A PSP forgets keys after a day; later than this after the first call only reads are made. */
export const WRITE_WINDOW_MS = 23 * 60 * 60 * 1000
/** A read right after a write may lag behind it. */
const SECOND_LOOK_MS = 2_000
const definite: readonly string[] = DEFINITE_KINDS

/** What is done to a dispute at its PSP, once. */
export interface Action {
  /** First word of the names of its moments. */
  name: 'accept' | 'submit'
  /** The identity of the effect: dispute, action, round. Never the attempt, the run, the clock. */
  effect: string
  question: ProbeQuestion
  /** Everything that the call needs, gathered before it is claimed; the result makes it. */
  prepare(): Promise<(adapter: Adapter, call: Call) => Promise<Receipt>>
}

type Call = Pick<WriteRequest, 'idempotencyKey' | 'sent'>

export interface EffectOutcome {
  probe: ProbeAnswer['answer']
  sent: boolean
  confirmed: true
}

/**
 * Probe, write, confirm: one attempt holds all three, so that no write ever follows an old probe. Throws definite
 * refusals as non-retryable only when nothing of ours may still be on its way.
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
    // A read has shown it before: what became of the dispute since then takes nothing from it.
    if (operation.state === 'confirmed') return { probe: 'done', sent: false, confirmed: true }
    sentBefore = operation.state === 'submitting' || operation.state === 'unknown'
    return await attempt(deps, await connectWork(deps, command), action, operation, sentBefore)
  } catch (error) {
    // A refused read says nothing about the call that went before it.
    if (sentBefore && error instanceof PspError && definite.includes(error.kind)) throw stillOpen(error)
    throw error
  }
}

/** Keeps the sentence about the call that failed, for whoever asks why the command goes on. */
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
  await deps.reached(`${action.name}.before_probe`, work.command.chargebackId)
  const question = { ...action.question, sent: sentBefore }
  let probe = await look(deps, work, question)
  if (probe.answer === 'not_done' && sentBefore) {
    await sleep(SECOND_LOOK_MS)
    probe = await look(deps, work, question)
  }
  if (probe.answer === 'done') {
    await markOperation(deps.db, operation, 'confirmed', { outcome: sentBefore ? APPLIED : FOUND })
    return { probe: 'done', sent: sentBefore, confirmed: true }
  }
  if (probe.answer === 'impossible') {
    await markOperation(deps.db, operation, 'rejected', { outcome: 'impossible' })
    throw ApplicationFailure.nonRetryable(probe.why, 'rejected_final')
  }
  if (probe.answer === 'unknown')
    throw probe.awaited ? new ExpectedWait() : new PspError('unavailable', 'the PSP did not say whether it was applied')
  await refuseOutlived(deps, work, operation, sentBefore)
  await refuseLate(deps, work, operation, sentBefore)
  // Only this read may give the next call another key.
  const claim = operation.outcome === REPLAYED ? await raiseGeneration(deps.db, operation) : operation
  return send(deps, work, action, claim, sentBefore)
}

/**
 * What was asked for in one round is not sent in the next: the probe may have shown that the PSP asks anew, and a call of
 * the round before says nothing about this one.
 */
async function refuseOutlived(deps: ActivityDeps, { command }: Work, operation: PspOperation, sentBefore: boolean) {
  if (!(await isOutlived(deps, command))) return
  if (sentBefore) throw new PspError('outcome_unknown', 'the PSP asks anew; only reads are made about the round before')
  await markOperation(deps.db, operation, 'rejected', { outcome: 'a new round' })
  const sentence =
    'The PSP asks for an answer anew, in a further stage or round: look at the chargeback and request it again.'
  throw ApplicationFailure.nonRetryable(sentence, 'rejected_final')
}

/** Whether the chargeback is in a later round by now than the one that the command was asked for in. */
export async function isOutlived(deps: ActivityDeps, command: CommandAtWork): Promise<boolean> {
  const now = await loadCommand(deps.db, command.commandId)
  return now !== null && now.chargebackRound !== command.round
}

/** Nothing is sent after the due date, nor when the PSP may have forgotten the key: from then on only reads are made. */
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
  const { chargebackId } = work.command
  const write = await action.prepare().catch((error: unknown) => {
    throw sentBefore && error instanceof ApplicationFailure ? stillOpen(error) : error
  })
  await deps.reached(`${action.name}.before_psp`, chargebackId)
  const sending = await markSending(deps.db, operation, work.command.commandId)
  if (!sending) throw new PspError('unavailable', 'another attempt has taken over, or the command has ended')
  await deps.reached(`${action.name}.before_call`, chargebackId)
  // It may have passed since the last look; from here on the call itself stops at it.
  await refuseLate(deps, work, sending, sentBefore)
  const until = work.command.dueDate?.getTime()
  const { idempotencyKey } = operation
  const { result, requestId } = await work.psp
    .call((adapter) => write(adapter, { idempotencyKey, sent: sentBefore }), until)
    .catch((error: unknown) => judgeRefusal(deps, sending, error, sentBefore))
  await deps.reached(`${action.name}.after_psp`, chargebackId)
  await recordRequestId(deps.db, sending, requestId)
  await deps.reached(`${action.name}.before_confirm`, chargebackId)
  const sent = sentBefore || result !== 'already_applied'
  const confirmation = await look(deps, work, { ...action.question, sent })
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

/** Always throws: a refusal is definite only when no earlier call of ours may have arrived. */
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
