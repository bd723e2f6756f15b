import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { claim, type OutboxRow, postpone, removeMessage } from '../../db/core/outbox.ts'
import { loadConnection } from '../../db/integrations/connections.ts'
import { readDrift } from '../../db/polling/drift.ts'
import {
  driftWorkflowId,
  type OutboxMessage,
  QUEUES,
  type ReportDriftInput,
  SEARCH_ATTRIBUTES,
  type VerifyIntegrationInput,
  verificationWorkflowId,
  WORKFLOWS,
} from '../contract.ts'
import { startCommand } from './command.ts'
import { startDeactivation } from './deactivation.ts'
import type { DispatchDeps } from './deps.ts'
import { startIngestion } from './ingestion.ts'
import { pollNow, syncSchedule } from './poll-modes.ts'
import { startRemoval } from './removal.ts'
import { startRotation } from './rotation.ts'
import { startScopeRun } from './scope.ts'

/** The longest wait for Temporal; an unreachable server is detected up to a second later. */
const DEADLINE_MS = 1_500

/** One try right after the command's commit. Never throws: the relay retries after a failure. */
export async function dispatchNow(deps: DispatchDeps, outboxId: bigint): Promise<void> {
  try {
    for (const row of await claim(deps.db, { outboxId })) await dispatchClaimed(deps, row)
  } catch {
    deps.log.warn({ outboxId: String(outboxId) }, 'inline dispatch failed, the relay takes over')
  }
}

/** Claims and dispatches due messages, each independently. Those that are claimed and not done are tried again later. */
export async function dispatchDue(deps: DispatchDeps, limit: number): Promise<{ claimed: number; done: number }> {
  const rows = await claim(deps.db, { limit })
  const done = await Promise.all(rows.map((row) => dispatchClaimed(deps, row)))
  return { claimed: rows.length, done: done.filter(Boolean).length }
}

async function dispatchClaimed(deps: DispatchDeps, row: OutboxRow): Promise<boolean> {
  try {
    await deps.temporal.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      act(deps, row as unknown as OutboxMessage),
    )
    await removeMessage(deps.db, row.outboxId)
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
      return startCommand(deps, message.payload.acceptanceId)
    case 'submit_evidence':
      return startCommand(deps, message.payload.submitEvidenceId)
    case 'verify_integration':
      return startVerification(deps, message.payload.integrationId)
    case 'rotate_secret':
      return startRotation(deps, message.payload.rotationId)
    case 'sync_schedule':
      return syncSchedule(deps, message.payload.integrationId)
    case 'poll_now':
      return pollNow(deps, message.payload.integrationId)
    case 'ingest_raw_data':
      return startIngestion(deps, message.payload.ingestionId)
    case 'report_drift':
      return startDriftReport(deps, message.payload.integrationId)
    case 'reevaluate_scope':
      return startScopeRun(deps, message.payload.integrationId)
    case 'remove_data_subject':
      return startRemoval(deps, message.payload.removalId)
    case 'deactivate':
      return startDeactivation(deps, message.payload)
    default:
      throw new UnknownMessage(message)
  }
}

/** During an upgrade a newer process may store messages of a kind that this one does not know. They wait for a worker that does. */
class UnknownMessage extends Error {
  override name = 'UnknownMessage'
  constructor(message: never) {
    super(`unknown kind ${(message as { kind: string }).kind}`)
  }
}

/** Starts a check, or signals the waiting one. */
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

/** One comparison at a time. A message that finds one running stays; it is done if that run completed it. */
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
