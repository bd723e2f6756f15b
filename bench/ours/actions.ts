import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../local/run-script.ts'

const HISTORIES = join(projectFolder, 'test', 'histories')

/** What a schedule's firing costs; no event of the run that it starts shows it. */
export const SCHEDULE_FIRING = 2

interface HistoryEvent {
  eventType: string
  activityTaskStartedEventAttributes?: { attempt?: number }
}

/** Actions of each event (docs.temporal.io, Temporal Cloud actions). An activity counts with each of its attempts. */
const ACTIONS: Record<string, (event: HistoryEvent) => number> = {
  EVENT_TYPE_WORKFLOW_EXECUTION_STARTED: () => 1,
  EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW: () => 1,
  EVENT_TYPE_ACTIVITY_TASK_STARTED: (event) => event.activityTaskStartedEventAttributes?.attempt ?? 1,
  EVENT_TYPE_TIMER_STARTED: () => 1,
  EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED: () => 1,
  EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED: () => 1,
  EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED: () => 2,
  EVENT_TYPE_MARKER_RECORDED: () => 1,
}

/** Billed actions of a run by its events, without heartbeats, queries and changes of search attributes. */
export const countActions = (events: readonly HistoryEvent[]): number =>
  events.reduce((sum, event) => sum + (ACTIONS[event.eventType]?.(event) ?? 0), 0)

/** Those of the newest recorded run of a workflow that completed. */
export function recordedActions(workflow: string): number {
  const recorded = readdirSync(HISTORIES)
    .filter((name) => name.startsWith(`${workflow}.completed.`))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const newest = recorded.at(-1)
  if (!newest) throw new Error(`no run of ${workflow} was recorded`)
  const { events } = JSON.parse(readFileSync(join(HISTORIES, newest), 'utf8')) as { events: HistoryEvent[] }
  return countActions(events)
}

/** What the product's runs cost in schedule mode, by the names of their figures. */
export const actionCounts = (): Record<'poll' | 'acceptance' | 'submission', number> => ({
  poll: recordedActions('pollIntegration') + SCHEDULE_FIRING,
  acceptance: recordedActions('acceptChargeback'),
  // The recorded submission has one file.
  submission: recordedActions('submitEvidence'),
})
