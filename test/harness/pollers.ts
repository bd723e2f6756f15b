import { ScheduleNotFoundError } from '@temporalio/client'
import { pollScheduleId, shardScheduleId } from '../../workflows/contract.ts'
import type { Stack } from './stack.ts'

/** What polls an integration: its own schedule, or shards. */
const rowOf = (stack: Stack, integrationId: string) =>
  stack.db
    .selectFrom('integration')
    .select(['next_poll_at', 'lease_owner'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow()

/**
 * Number of its polls that are running or due now. A description is a query to the schedule's own workflow, which a
 * busy server may lose: callers retry.
 */
export async function runningPolls(stack: Stack, integrationId: string): Promise<number> {
  const row = await rowOf(stack, integrationId)
  if (row.next_poll_at) return row.lease_owner !== null || row.next_poll_at <= new Date() ? 1 : 0
  const schedule = stack.temporal.schedule.getHandle(pollScheduleId(integrationId))
  const soon = Date.now() + 5_000
  const { info } = await stack.temporal.connection.withDeadline(soon, () => schedule.describe())
  return info.runningActions.length
}

/** State of a schedule at Temporal; null if there is none. */
export async function scheduleState(stack: Stack, id: string): Promise<{ paused: boolean; note?: string } | null> {
  try {
    return (await stack.temporal.schedule.getHandle(id).describe()).state
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
    return null
  }
}

/** Whether Temporal has the schedule that polls it. */
export async function hasPoller(stack: Stack, integrationId: string): Promise<boolean> {
  const { next_poll_at: shards } = await rowOf(stack, integrationId)
  return (await scheduleState(stack, shards ? shardScheduleId(1) : pollScheduleId(integrationId))) !== null
}
