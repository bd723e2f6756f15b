import { type Client, ScheduleNotFoundError } from '@temporalio/client'
import { pollScheduleId, shardOf } from '../contract.ts'
import { pausedElsewhere } from './schedules.ts'

/**
 * The note of a pause that somebody made in the Temporal UI, null without one.
 * @param found what a list says of the schedule; else it is read
 */
export async function noteOfUiPause(
  client: Client,
  integrationId: string,
  found?: ExistingSchedule,
): Promise<string | null> {
  try {
    const state = found ?? (await client.schedule.getHandle(pollScheduleId(integrationId)).describe()).state
    return pausedElsewhere(state) ? (state.note ?? '') : null
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
    return null
  }
}

export interface ExistingSchedule {
  paused: boolean
  note: string | undefined
  /** Paused in the Temporal UI. */
  pausedElsewhere: boolean
  /** Its interval, ms. */
  every: number
}

export interface ExistingSchedules {
  /** By integration. */
  polls: Map<string, ExistingSchedule>
  /** Numbers of shards. */
  shards: Set<number>
}

export async function existingSchedules(client: Client): Promise<ExistingSchedules> {
  const found: ExistingSchedules = { polls: new Map(), shards: new Set() }
  const prefix = pollScheduleId('')
  for await (const { scheduleId, state, spec } of client.schedule.list()) {
    const shard = shardOf(scheduleId)
    if (shard) found.shards.add(shard)
    if (scheduleId.startsWith(prefix))
      found.polls.set(scheduleId.slice(prefix.length), {
        paused: state.paused,
        note: state.note,
        pausedElsewhere: pausedElsewhere(state),
        every: spec?.intervals?.[0]?.every ?? 0,
      })
  }
  return found
}
