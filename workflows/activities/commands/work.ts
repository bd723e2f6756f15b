import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { ProbeAnswer, ProbeQuestion } from '../../../adapters/contract.ts'
import { DEFINITE_KINDS, PspError } from '../../../adapters/errors.ts'
import { beginCommand } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, loadCommand } from '../../../db/commands/commands.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, connectAtPsp } from '../psp.ts'
import { tryStoreReading } from './reading.ts'

const definite: readonly string[] = DEFINITE_KINDS

/** A command with its PSP connection. */
export interface Work {
  command: CommandAtWork
  connection: Connection
  psp: AtPsp
}

/**
 * The command, marked as in progress. Null when it has succeeded, for example after an operator reset a completed run.
 */
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
      // An integration that lost its account or its notifications meanwhile did not get a refusal from the PSP.
      if (error instanceof PspError && definite.includes(error.kind) && (await hasMoved(deps, command)))
        throw new PspError('unavailable', 'the account was connected again meanwhile; the next attempt goes through it')
      throw error
    })
  return { command, connection, psp: { ...psp, call } }
}

async function hasMoved({ db }: ActivityDeps, { commandId, integrationId }: CommandAtWork): Promise<boolean> {
  return (await loadCommand(db, commandId))?.integrationId !== integrationId
}

/** Connects to the PSP of an integration for the time left in this attempt. @throws PspError config_invalid */
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

/** Probes the PSP and stores what it returned: each probe is also a refresh. */
export async function probeAtPsp(deps: ActivityDeps, work: Work, question: ProbeQuestion): Promise<ProbeAnswer> {
  const { connection, psp } = work
  const readAt = deps.now()
  const answer = await psp.call(async (adapter) => {
    if (!adapter.probe) throw new PspError('invalid_request', `${connection.source} can't be asked about it`)
    return adapter.probe(question)
  })
  const accepted = question.kind === 'acceptance' && question.sent === true && answer.answer === 'done'
  await tryStoreReading(deps, connection, psp.definition, answer.dispute, readAt, accepted)
  return answer
}
