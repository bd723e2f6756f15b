import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
  WorkflowNotFoundError,
} from '@temporalio/client'
import type { ScheduledIntegration } from '../../db/integrations/connections.ts'
import { jitterOf, offsetOf } from '../../db/polling/slots.ts'
import type { PollingChoice } from '../../domain/polling-mode.ts'
import {
  type Pace,
  type PollIntegrationInput,
  pollScheduleId,
  QUEUES,
  RECONCILE_SCHEDULE_ID,
  SEARCH_ATTRIBUTES,
  WORKFLOWS,
} from '../contract.ts'

/** Seconds between runs of the reconciler: the effect of a termination by an operator must show within a minute. */
const RECONCILE_SECONDS = 15

export interface Polling {
  /** Seconds between two polls of one integration. */
  intervalSeconds: number
  pace: Pace
  /** Who starts polls: schedules, if nothing else is said. */
  choice?: PollingChoice
  /** How many shards dispatch polls. */
  shards?: number
}

/** What a poll of an integration starts with. */
export function pollAction({ integrationId, merchantUuid, source }: ScheduledIntegration, { pace }: Polling) {
  const input: PollIntegrationInput = { integrationId, merchantUuid, source, pace }
  return {
    args: [input] as [PollIntegrationInput],
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: source },
    ],
    staticSummary: `poll ${source} for integration ${integrationId}`,
  }
}

/** The desired schedule of an integration: spread over the interval by its id, never two runs at once. */
function pollSchedule(integration: ScheduledIntegration, polling: Polling): ScheduleOptions {
  const every = polling.intervalSeconds * 1000
  const action = pollAction(integration, polling)
  return {
    scheduleId: pollScheduleId(integration.integrationId),
    spec: {
      intervals: [{ every, offset: offsetOf(integration.integrationId, every) }],
      jitter: jitterOf(every),
      ...(integration.deactivationDate && { endAt: integration.deactivationDate }),
    },
    action: {
      ...action,
      type: 'startWorkflow',
      workflowType: WORKFLOWS.pollIntegration,
      workflowId: pollScheduleId(integration.integrationId),
      taskQueue: QUEUES.polling,
      workflowRunTimeout: '6h',
      staticDetails:
        'Reads new and changed disputes page by page, then the transactions behind new ones. Safe to terminate: the cursor is in Postgres.',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10m', pauseOnFailure: false },
    state: { paused: stopped(integration), note: noteOf(integration) },
    typedSearchAttributes: action.typedSearchAttributes,
  }
}

const stopped = (integration: ScheduledIntegration) => integration.paused || integration.status !== 'SUCCESSFUL'
/** Prefixes of Recoup's own notes on schedules. */
const NOTES = { paused: 'paused by an operator', refused: 'the PSP refused the credential' } as const

function noteOf(integration: ScheduledIntegration): string {
  const { paused, pauseChangedBy, pauseReason } = integration
  if (!paused) return stopped(integration) ? NOTES.refused : ''
  return `${NOTES.paused}${pauseChangedBy ? ` (${pauseChangedBy})` : ''}${pauseReason ? `: ${pauseReason}` : ''}`
}

/** A pause set in the Temporal UI, which has no note of Recoup's and can only be ended there. */
export const pausedElsewhere = ({ paused, note }: { paused: boolean; note?: string | undefined }) =>
  paused && !Object.values(NOTES).some((ours) => note?.startsWith(ours))

/**
 * Creates the schedule, or updates the existing one. A new one polls at once if it is `due`, by a trigger:
 * a run of the SDK's `triggerImmediately` does not count as running, so a requested poll would not wait for it.
 */
export async function syncPollSchedule(
  client: Client,
  integration: ScheduledIntegration,
  polling: Polling,
  { due = true }: { due?: boolean } = {},
): Promise<void> {
  const options = pollSchedule(integration, polling)
  try {
    const handle = await client.schedule.create(options)
    if (due && !options.state?.paused) await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE)
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const { scheduleId, state, ...rest } = options
    const handle = client.schedule.getHandle(scheduleId)
    const wanted = { paused: state?.paused ?? false, note: state?.note ?? '' }
    let neverPolled = false
    await handle.update((previous) => {
      const state = { ...previous.state, ...(!pausedElsewhere(previous.state) && wanted) }
      neverPolled = !state.paused && !integration.polledAt && previous.info.recentActions.length === 0
      return { ...rest, action: rest.action, state }
    })
    // Created by a process that crashed before the trigger.
    if (neverPolled) await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE)
  }
}

/** Also cancels a running poll, unless it may `complete`. */
export async function deletePollSchedule(
  client: Client,
  integrationId: string,
  { complete = false }: { complete?: boolean } = {},
): Promise<void> {
  const handle = client.schedule.getHandle(pollScheduleId(integrationId))
  try {
    if (complete) return await handle.delete()
    const { info } = await handle.describe()
    await handle.delete()
    await Promise.all(info.runningActions.map(({ workflow }) => cancelRun(client, workflow.workflowId)))
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
}

async function cancelRun(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).cancel()
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

/**
 * Triggers one more poll, after a running one; also on a paused schedule, unless `unpaused` is required. The server
 * names runs by whole seconds and silently drops the second of two triggers in one second, so this waits for the next
 * second.
 * @returns whether it was triggered
 * @throws ScheduleNotFoundError
 */
export async function triggerPoll(
  client: Client,
  integrationId: string,
  time = new Date(),
  { unpaused = false }: { unpaused?: boolean } = {},
): Promise<boolean> {
  const handle = client.schedule.getHandle(pollScheduleId(integrationId))
  const { info, state } = await handle.describe()
  if (unpaused && state.paused) return false
  const fired = [info.createdAt, ...info.recentActions.map((action) => action.scheduledAt)]
  const latest = Math.max(...fired.map((when) => Math.floor(when.getTime() / 1000)))
  const now = time.getTime()
  if (latest >= Math.floor(now / 1000)) await sleep(1_010 - (now % 1_000))
  await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE)
  return true
}

/**
 * The reconciler's own schedule, from which everything else can be restored. `renew` also updates one from an earlier
 * version.
 */
export async function ensureReconcileSchedule(client: Client, renew: boolean): Promise<void> {
  const options = reconcileSchedule()
  try {
    const handle = await client.schedule.create(options)
    if (!options.state?.paused) await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE)
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    const { scheduleId, state: _, ...rest } = options
    if (renew) await client.schedule.getHandle(scheduleId).update((previous) => ({ ...rest, state: previous.state }))
  }
}

function reconcileSchedule(): ScheduleOptions {
  return {
    scheduleId: RECONCILE_SCHEDULE_ID,
    spec: { intervals: [{ every: RECONCILE_SECONDS * 1000 }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOWS.reconcile,
      workflowId: RECONCILE_SCHEDULE_ID,
      taskQueue: QUEUES.operations,
      args: [],
      workflowRunTimeout: '10m',
      staticSummary: 'make Temporal and the rows agree again',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10s', pauseOnFailure: false },
    state: { triggerImmediately: true },
  }
}
