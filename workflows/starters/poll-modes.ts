import { ScheduleNotFoundError, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { type ScheduledIntegration, scheduledIntegrations } from '../../db/integrations/connections.ts'
import { countPolled, enterDispatch, keepPause, leaveDispatch } from '../../db/polling/dispatched.ts'
import { hurryPoll } from '../../db/polling/due.ts'
import { chooseMode, type PollingMode } from '../../domain/polling-mode.ts'
import { pollScheduleId, QUEUES, WORKFLOWS } from '../contract.ts'
import type { DispatchDeps } from './deps.ts'
import { type ExistingSchedule, noteOfUiPause } from './existing-schedules.ts'
import { deletePollSchedule, pollAction, syncPollSchedule, triggerPoll } from './schedules.ts'

/** Who starts an integration's polls, and how it moves between schedules and shards: docs/decisions/0046. */

type Deps = Pick<DispatchDeps, 'db' | 'temporal' | 'polling'>

/** How integrations are to be polled, by the operator's choice and their number. */
export async function wantedMode({ db, polling }: Deps): Promise<PollingMode> {
  const { choice = 'schedules', intervalSeconds } = polling
  if (choice !== 'auto') return choice
  return chooseMode(choice, { ...(await countPolled(db)), intervalSeconds })
}

/** Has an integration polled as its row is now, or no more. */
export async function syncSchedule(deps: Deps, integrationId: string): Promise<void> {
  const [integration] = await scheduledIntegrations(deps.db, integrationId)
  if (!integration) {
    await leaveDispatch(deps.db, integrationId)
    return deletePollSchedule(deps.temporal, integrationId)
  }
  if ((await wantedMode(deps)) === 'schedules') return toSchedule(deps, integration)
  if (!integration.dispatched) await toDispatch(deps, integrationId)
}

/** Creates its schedule, or brings that into line. */
export async function toSchedule({ db, temporal, polling }: Deps, integration: ScheduledIntegration): Promise<void> {
  const left = integration.dispatched ? await leaveDispatch(db, integration.integrationId) : null
  await syncPollSchedule(temporal, integration, polling, { due: left?.due ?? true })
}

/** Deletes its schedule, if there is one, and has it polled by shards. @param found what a list says of the schedule */
export async function toDispatch(
  { db, temporal, polling }: Deps,
  integrationId: string,
  found?: ExistingSchedule,
): Promise<void> {
  const note = await noteOfUiPause(temporal, integrationId, found)
  if (note !== null) await keepPause(db, integrationId, note)
  await deletePollSchedule(temporal, integrationId, { complete: true })
  await enterDispatch(db, { integrationIds: [integrationId] }, { everyMs: polling.intervalSeconds * 1000 })
}

/** Polls as soon as possible. Without a schedule there is nothing to hurry, unless one is due: its making polls at once. */
export async function pollNow(deps: DispatchDeps, integrationId: string): Promise<void> {
  const hurried = await hurryPoll(deps.db, integrationId)
  if (hurried) return hurried.paused ? pollPaused(deps, integrationId) : undefined
  try {
    await triggerPoll(deps.temporal, integrationId, deps.now?.())
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
    await syncSchedule(deps, integrationId)
  }
}

/** Shards leave out what is paused, so that a poll which an operator requests has its own workflow run. */
async function pollPaused({ db, temporal, polling }: Deps, integrationId: string): Promise<void> {
  const [integration] = await scheduledIntegrations(db, integrationId)
  if (!integration) return
  const { args, typedSearchAttributes, staticSummary } = pollAction(integration, polling)
  await temporal.workflow.start(WORKFLOWS.pollIntegration, {
    ...{ args, typedSearchAttributes, staticSummary },
    taskQueue: QUEUES.polling,
    workflowId: pollScheduleId(integrationId),
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
  })
}
