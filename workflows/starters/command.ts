import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client'
import { type CommandAtWork, loadCommand } from '../../db/commands/commands.ts'
import type { Database } from '../../db/core/connect.ts'
import {
  type AcceptChargebackInput,
  acceptanceWorkflowId,
  COMMAND_STATES,
  DUE_SOON,
  QUEUES,
  SEARCH_ATTRIBUTES,
  type SubmitEvidenceInput,
  submissionWorkflowId,
  WORKFLOWS,
} from '../contract.ts'
import type { Polling } from './schedules.ts'

export interface StartDeps {
  db: Database
  temporal: Client
  polling: Polling
}

/** The workflow id of a command. */
export const workflowIdOf = (command: CommandAtWork) =>
  (command.kind === 'acceptance' ? acceptanceWorkflowId : submissionWorkflowId)(command, command.round)

/**
 * Starts the command's workflow, once. The id may still be in use by the run of an earlier, failed command for the same
 * dispute; then the message stays in the outbox.
 * @throws EarlierRunOpen
 */
export async function startCommand(deps: StartDeps, commandId: string): Promise<void> {
  const command = await loadCommand(deps.db, commandId)
  if (!command || command.status === 'failed' || command.status === 'succeeded') return
  try {
    await startRun(deps, command, WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
    // A closed run of this command exists, so there is nothing to start. It may also belong to a command of a database
    // from before a restored backup.
    if ((await ownerOf(deps, command)) === commandId) return
    await startRun(deps, command, WorkflowIdReusePolicy.ALLOW_DUPLICATE)
  }
}

/** @throws WorkflowExecutionAlreadyStartedError, EarlierRunOpen */
async function startRun(
  deps: StartDeps,
  command: CommandAtWork,
  workflowIdReusePolicy: WorkflowIdReusePolicy,
): Promise<void> {
  const { commandId } = command
  const { workflow, input, summary } = runOf(command, deps.polling)
  await deps.temporal.workflow.start(workflow, {
    taskQueue: QUEUES.commands,
    workflowId: workflowIdOf(command),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: command.merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: command.integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: command.source },
      { key: SEARCH_ATTRIBUTES.ChargebackId, value: command.chargebackId },
      { key: SEARCH_ATTRIBUTES.CommandId, value: commandId },
      { key: SEARCH_ATTRIBUTES.CommandState, value: COMMAND_STATES.created },
      // The PSP's due date, so that operators can sort by it.
      ...(command.dueDate ? [{ key: SEARCH_ATTRIBUTES.EffectiveAt, value: command.dueDate }] : []),
    ],
    memo: { commandId },
    staticSummary: summary,
    staticDetails:
      'Irreversible at the PSP. Safe to cancel or terminate: the reconciler reads the PSP and resolves or flags the command within a minute.',
    priority: { priorityKey: 1 },
  })
  if ((await ownerOf(deps, command)) !== commandId) throw new EarlierRunOpen()
}

/** Id of the command that the latest run under this workflow id belongs to. */
const ownerOf = async ({ temporal }: StartDeps, command: CommandAtWork) =>
  (await temporal.workflow.getHandle(workflowIdOf(command)).describe()).memo?.commandId

class EarlierRunOpen extends Error {
  override name = 'EarlierRunOpen'
}

function runOf(command: CommandAtWork, { pace }: Polling) {
  const { commandId, chargebackId, integrationId, merchantUuid, source } = command
  const about = {
    chargebackId,
    integrationId,
    merchantUuid,
    psp: source,
    deadline: command.deadline.toISOString(),
    pace,
  }
  if (command.kind === 'acceptance') {
    const input: AcceptChargebackInput = { acceptanceId: commandId, ...about }
    return { workflow: WORKFLOWS.acceptChargeback, input, summary: `accept chargeback ${chargebackId} via ${source}` }
  }
  const input: SubmitEvidenceInput = { submitEvidenceId: commandId, ...about }
  return { workflow: WORKFLOWS.submitEvidence, input, summary: `submit evidence for ${chargebackId} via ${source}` }
}

/** Signals the command's workflow that its due date is near, for operators who watch it. A missing run is ignored. */
export async function signalDueSoon(deps: StartDeps, command: CommandAtWork): Promise<void> {
  await deps.temporal.workflow.getHandle(workflowIdOf(command)).signal(DUE_SOON)
}
