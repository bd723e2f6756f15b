import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { ProbeAnswer, ProbeQuestion } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { beginCommand } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, loadCommand } from '../../../db/commands/commands.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, connectAtPsp } from '../psp.ts'
import { keepReading } from './reading.ts'

const definite: readonly string[] = DEFINITE_KINDS

/** A command with the PSP in hand. */
export interface Work {
  command: CommandAtWork
  connection: Connection
  psp: AtPsp
}

/** The command, begun. Null when it has succeeded: an operator may have reset a run that was through. */
export async function unfinishedCommand(deps: ActivityDeps, commandId: string): Promise<CommandAtWork | null> {
  const command = await loadCommand(deps.db, commandId)
  if (!command) throw ApplicationFailure.nonRetryable('there is no such command', 'not_found')
  if (command.status === 'succeeded') return null
  if (command.status === 'failed') throw ApplicationFailure.nonRetryable('it has failed before', 'rejected_final')
  await beginCommand(deps.db, commandId)
  return command
}

/** @throws PspError config_invalid */
export async function connectWork(deps: ActivityDeps, command: CommandAtWork): Promise<Work> {
  const { connection, psp } = await connectIntegration(deps, command.integrationId)
  const call: AtPsp['call'] = (work, writesEndAt) =>
    psp.call(work, writesEndAt).catch(async (error) => {
      // What an integration that was given up meanwhile has no right to, or no notifications of, is no refusal.
      if (error instanceof PspError && definite.includes(error.kind) && (await hasMoved(deps, command)))
        throw new PspError('unavailable', 'the account was connected again meanwhile; the next attempt goes through it')
      throw error
    })
  return { command, connection, psp: { ...psp, call } }
}

async function hasMoved({ db }: ActivityDeps, { commandId, integrationId }: CommandAtWork): Promise<boolean> {
  return (await loadCommand(db, commandId))?.integrationId !== integrationId
}

/** The PSP behind an integration, for as long as this attempt has. @throws PspError config_invalid */
export async function connectIntegration(
  deps: ActivityDeps,
  integrationId: string,
): Promise<Pick<Work, 'connection' | 'psp'>> {
  const connection = await loadConnection(deps.db, integrationId)
  if (!connection) throw ApplicationFailure.nonRetryable('there is no such integration', 'not_found')
  const { cancellationSignal, info } = Context.current()
  const endsAt = Date.now() + info.startToCloseTimeoutMs
  return {
    connection,
    psp: connectAtPsp(deps, connection, { priority: 'command', signal: cancellationSignal, endsAt }),
  }
}

/** Asks the PSP, and keeps what it showed: each probe is a refresh too. */
export async function look(deps: ActivityDeps, work: Work, question: ProbeQuestion): Promise<ProbeAnswer> {
  const { connection, psp } = work
  const readAt = deps.now()
  const answer = await psp.call(async (adapter) => {
    if (!adapter.probe) throw new PspError('invalid_request', `${connection.source} can't be asked about it`)
    return adapter.probe(question)
  })
  const accepted = question.kind === 'acceptance' && question.sent === true && answer.answer === 'done'
  await keepReading(deps, connection, psp.definition, answer.dispute, readAt, accepted)
  return answer
}
