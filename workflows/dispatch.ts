import {
  type Client,
  ScheduleNotFoundError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/client'
import { loadCommand } from '../db/commands.ts'
import type { Database } from '../db/connect.ts'
import { loadConnection, scheduledIntegrations } from '../db/connections.ts'
import { readDrift } from '../db/drift.ts'
import { claim, type OutboxRow, postpone, settle } from '../db/outbox.ts'
import type { Reached } from '../process/moments.ts'
import {
  type AcceptChargebackInput,
  acceptanceWorkflowId,
  driftWorkflowId,
  type OutboxMessage,
  QUEUES,
  type ReportDriftInput,
  SEARCH_ATTRIBUTES,
  type VerifyIntegrationInput,
  verificationWorkflowId,
  WORKFLOWS,
} from './contract.ts'
import { deletePollSchedule, type Polling, syncPollSchedule, triggerPoll } from './schedules.ts'

/** The longest a caller waits for Temporal; a dead server is noticed up to a second later. */
const DEADLINE_MS = 1_500

export interface DispatchDeps {
  db: Database
  temporal: Client
  polling: Polling
  log: { warn(fields: object, message: string): void }
  reached?: Reached
}

/** One try right after the command's commit. Never throws: what fails here is the relay's. */
export async function dispatchNow(deps: DispatchDeps, outboxId: bigint): Promise<void> {
  try {
    await deps.reached?.('dispatch.before_claim')
    for (const row of await claim(deps.db, { outboxId })) await dispatchClaimed(deps, row)
  } catch {
    deps.log.warn({ outboxId: String(outboxId) }, 'inline dispatch failed, the relay takes over')
  }
}

/** Takes what is due and does it, each on its own. @returns how many were done */
export async function dispatchDue(deps: DispatchDeps, limit: number): Promise<number> {
  const rows = await claim(deps.db, { limit })
  const done = await Promise.all(rows.map((row) => dispatchClaimed(deps, row)))
  return done.filter(Boolean).length
}

async function dispatchClaimed(deps: DispatchDeps, row: OutboxRow): Promise<boolean> {
  try {
    await deps.temporal.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      act(deps, row as unknown as OutboxMessage),
    )
    await settle(deps.db, row.outboxId)
    return true
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'error'
    deps.log.warn(
      { outboxId: String(row.outboxId), kind: row.kind, attempts: row.attempts, reason },
      'dispatch postponed',
    )
    await postpone(deps.db, row, reason)
    return false
  }
}

async function act(deps: DispatchDeps, message: OutboxMessage): Promise<void> {
  switch (message.kind) {
    case 'accept_chargeback':
      return startAcceptance(deps, message.payload.acceptanceId)
    case 'verify_integration':
      return startVerification(deps, message.payload.integrationId)
    case 'sync_schedule': {
      const [integration] = await scheduledIntegrations(deps.db, message.payload.integrationId)
      if (integration) return syncPollSchedule(deps.temporal, integration, deps.polling)
      return deletePollSchedule(deps.temporal, message.payload.integrationId)
    }
    case 'poll_now':
      return pollNow(deps, message.payload.integrationId)
    case 'report_drift':
      return startDriftReport(deps, message.payload.integrationId)
  }
}

/**
 * Starts the acceptance's run, once. A run of an earlier, failed acceptance of the same chargeback may still be
 * closing: its id is taken until it has, so the message stays.
 */
export async function startAcceptance(deps: DispatchDeps, acceptanceId: string): Promise<void> {
  const command = await loadCommand(deps.db, acceptanceId)
  if (!command || command.status === 'failed' || command.status === 'succeeded') return
  await deps.reached?.('dispatch.before_start', command.chargebackId)
  const input: AcceptChargebackInput = {
    acceptanceId,
    chargebackId: command.chargebackId,
    integrationId: command.integrationId,
    merchantUuid: command.merchantUuid,
    psp: command.source,
    deadline: command.deadline.toISOString(),
    pace: deps.polling.pace,
  }
  const workflowId = acceptanceWorkflowId(command.chargebackId, command.round)
  try {
    const handle = await deps.temporal.workflow.start(WORKFLOWS.acceptChargeback, {
      taskQueue: QUEUES.commands,
      workflowId,
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
      typedSearchAttributes: [
        { key: SEARCH_ATTRIBUTES.MerchantId, value: command.merchantUuid },
        { key: SEARCH_ATTRIBUTES.IntegrationId, value: command.integrationId },
        { key: SEARCH_ATTRIBUTES.Psp, value: command.source },
        { key: SEARCH_ATTRIBUTES.ChargebackId, value: command.chargebackId },
        { key: SEARCH_ATTRIBUTES.CommandId, value: acceptanceId },
        { key: SEARCH_ATTRIBUTES.CommandState, value: 'created' },
      ],
      memo: { commandId: acceptanceId },
      staticSummary: `accept chargeback ${command.chargebackId} via ${command.source}`,
      staticDetails:
        'Irreversible at the PSP. Safe to terminate: the reconciler reads the PSP and settles or flags the row within a minute.',
      priority: { priorityKey: 1 },
    })
    const running = (await handle.describe()).memo?.commandId
    if (running !== acceptanceId) throw new EarlierRunOpen()
    await deps.reached?.('dispatch.after_start', command.chargebackId)
  } catch (error) {
    // The run is there already, closed or open: exactly what was asked for.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/** Without a schedule there is nothing to hurry, unless one is due: its making polls at once. */
async function pollNow(deps: DispatchDeps, integrationId: string): Promise<void> {
  try {
    await triggerPoll(deps.temporal, integrationId)
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
    const [integration] = await scheduledIntegrations(deps.db, integrationId)
    if (integration) await syncPollSchedule(deps.temporal, integration, deps.polling)
  }
}

class EarlierRunOpen extends Error {
  override name = 'EarlierRunOpen'
}

/** Starts a check, or hurries the one that waits. */
async function startVerification(deps: DispatchDeps, integrationId: string): Promise<void> {
  const connection = await loadConnection(deps.db, integrationId)
  if (!connection || connection.status === 'INACTIVE') return
  const input: VerifyIntegrationInput = {
    integrationId,
    merchantUuid: connection.merchantUuid,
    source: connection.source,
    pace: deps.polling.pace,
  }
  await deps.temporal.workflow.signalWithStart(WORKFLOWS.verifyIntegration, {
    taskQueue: QUEUES.operations,
    workflowId: verificationWorkflowId(integrationId),
    args: [input],
    signal: 'verifyNow',
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: connection.merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: connection.source },
    ],
    staticSummary: `verify the ${connection.source} credential of integration ${integrationId}`,
  })
}

/** One comparison at a time: a message that finds one under way stays, and is done with if that one answered it. */
async function startDriftReport(deps: DispatchDeps, integrationId: string): Promise<void> {
  const connection = await loadConnection(deps.db, integrationId)
  if (!connection || connection.status === 'INACTIVE') return
  if ((await readDrift(deps.db, integrationId))?.completedAt) return
  const { merchantUuid, source } = connection
  const input: ReportDriftInput = { integrationId, merchantUuid, source, pace: deps.polling.pace }
  await deps.temporal.workflow.start(WORKFLOWS.reportDrift, {
    taskQueue: QUEUES.polling,
    workflowId: driftWorkflowId(integrationId),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: source },
    ],
    staticSummary: `compare integration ${integrationId} with ${source}`,
  })
}
