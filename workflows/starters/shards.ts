import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { type PollShardInput, QUEUES, shardScheduleId, WORKFLOWS } from '../contract.ts'
import type { Polling } from './schedules.ts'

/** Seconds between two runs of a shard, each of which polls for nearly as long. */
const SHARD_SECONDS = 60
const SHARDS = 8

const shardsOf = ({ shards = SHARDS }: Polling) => Array.from({ length: shards }, (_, index) => index + 1)

/** Spread over the minute, so that there is always one that looks for work. */
function shardSchedule(shard: number, polling: Polling): ScheduleOptions {
  const every = SHARD_SECONDS * 1000
  const input: PollShardInput = { shard, pace: polling.pace }
  return {
    scheduleId: shardScheduleId(shard),
    spec: { intervals: [{ every, offset: Math.floor((every * (shard - 1)) / shardsOf(polling).length) }] },
    action: {
      type: 'startWorkflow',
      workflowType: WORKFLOWS.pollShard,
      workflowId: shardScheduleId(shard),
      taskQueue: QUEUES.polling,
      args: [input],
      workflowRunTimeout: '1h',
      staticSummary: `poll what is due, shard ${shard} of ${shardsOf(polling).length}`,
      staticDetails:
        'Leases integrations that are due and polls them for a minute; the result says how many and what came of it. Safe to terminate: the leases end by themselves.',
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10s', pauseOnFailure: false },
  }
}

/** Creates the shards that are missing, which begin at once, and deletes those that are too many. @returns how many */
export async function syncShards(client: Client, existing: ReadonlySet<number>, polling: Polling): Promise<number> {
  const wanted = shardsOf(polling)
  const missing = wanted.filter((shard) => !existing.has(shard))
  for (const shard of missing) {
    try {
      const handle = await client.schedule.create(shardSchedule(shard, polling))
      await handle.trigger(ScheduleOverlapPolicy.BUFFER_ONE)
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
    }
  }
  return (
    missing.length +
    (await deleteShards(
      client,
      [...existing].filter((shard) => !wanted.includes(shard)),
    ))
  )
}

/** Their runs complete. */
export async function deleteShards(client: Client, shards: Iterable<number>): Promise<number> {
  let deleted = 0
  for (const shard of shards) {
    try {
      await client.schedule.getHandle(shardScheduleId(shard)).delete()
      deleted++
    } catch (error) {
      if (!(error instanceof ScheduleNotFoundError)) throw error
    }
  }
  return deleted
}

/** Starts those that don't run, unless somebody paused them in the Temporal UI. */
export async function triggerShards(client: Client, polling: Polling): Promise<void> {
  for (const shard of shardsOf(polling)) {
    const handle = client.schedule.getHandle(shardScheduleId(shard))
    if (!(await handle.describe()).state.paused) await handle.trigger(ScheduleOverlapPolicy.SKIP)
  }
}
