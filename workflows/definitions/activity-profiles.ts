import type { ActivityOptions } from '@temporalio/workflow'
import { type Pace, QUEUES } from '../contract.ts'

/**
 * How activities run: queue, time-outs, retry policy and priority, by name. Every `proxyActivities` takes one of these,
 * so that a retry policy is changed here and nowhere else. Options may differ between versions: a replay compares the
 * name and the order of activities only.
 */

/** A command of a client, on its way to a PSP. */
interface Command {
  integrationId: string
  /** ISO time after which nothing is tried any more. */
  deadline: string
  pace: Pace
}

interface AtPsp {
  integrationId: string
  pace: Pace
}

/** Lower goes first. */
const PRIORITY = { command: 1, clientWaits: 2, poll: 3, drift: 4 }
/** A projection is one transaction: longer than this its worker is gone, ms. */
const PROJECTION_MS = 15_000
/** Nobody waits longer for a dry run, ms. */
const DRY_RUN_MS = 8_000
/** One attempt to rotate a secret: a worker that died holds up the next one for this long, ms. */
const ROTATION_ATTEMPT_MS = 8_000
/** The client waits for 20 s (ROTATION_SECONDS); after that the candidate is gone. */
const ROTATION_MS = 19_000

/** Reads or writes at the PSP until the command's deadline, beyond which the outcome is flagged for operators. */
export const command = ({ integrationId, deadline, pace }: Command, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: pace.commandMs,
  scheduleToCloseTimeout: Math.max(1_000, Date.parse(deadline) - Date.now()),
  retry: { initialInterval: pace.retryMs, backoffCoefficient: 2, maximumInterval: '10m' },
  priority: { priorityKey: PRIORITY.command, fairnessKey: integrationId },
  summary,
})

/** A command's file on its way to the PSP. */
export const upload = (input: Command, summary: string): ActivityOptions => ({
  ...command(input, summary),
  startToCloseTimeout: '15m',
  heartbeatTimeout: input.pace.heartbeatMs,
})

/** A command's result in the database only: goes on while a PSP is away. */
export const projection = (pace: Pace): ActivityOptions => ({
  taskQueue: QUEUES.records,
  startToCloseTimeout: Math.min(PROJECTION_MS, pace.commandMs),
})

/** What a submission would send, for a client that waits. */
export const dryRun = (summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: DRY_RUN_MS,
  scheduleToCloseTimeout: DRY_RUN_MS,
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
  priority: { priorityKey: PRIORITY.clientWaits },
  summary,
})

/** A new secret, for a client that waits. */
export const secretRotation = (summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: ROTATION_ATTEMPT_MS,
  scheduleToCloseTimeout: ROTATION_MS,
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '3s' },
  priority: { priorityKey: PRIORITY.clientWaits },
  summary,
})

/** A slice of a poll. */
export const poll = ({ integrationId, pace }: AtPsp, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.polling,
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '2h',
  heartbeatTimeout: pace.heartbeatMs,
  retry: { initialInterval: pace.retryMs, maximumInterval: '5m' },
  priority: { priorityKey: PRIORITY.poll, fairnessKey: integrationId },
  summary,
})

/** A comparison with everything that the PSP has. */
export const drift = (input: AtPsp, summary: string): ActivityOptions => ({
  ...poll(input, summary),
  startToCloseTimeout: '2h',
  scheduleToCloseTimeout: '6h',
  priority: { priorityKey: PRIORITY.drift, fairnessKey: input.integrationId },
})

/** Whether a PSP takes a credential. */
export const credentialCheck = (pace: Pace, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.operations,
  startToCloseTimeout: '60s',
  retry: { initialInterval: pace.retryMs, maximumInterval: '1m' },
  summary,
})

/** An object that a client posted. */
export const rawData = (pace: Pace, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.records,
  startToCloseTimeout: '30s',
  retry: { initialInterval: pace.retryMs, maximumInterval: '1m' },
  summary,
})

/** A person's records, pass after pass. */
export const erasure = (pace: Pace): ActivityOptions => ({
  taskQueue: QUEUES.records,
  startToCloseTimeout: '1h',
  heartbeatTimeout: '60s',
  retry: { initialInterval: pace.retryMs, maximumInterval: '5m' },
})

/** One row of the database. */
export const record: ActivityOptions = { taskQueue: QUEUES.records, startToCloseTimeout: '15s' }

/** A slice of an integration's chargebacks, decided again. */
export const recordSlice: ActivityOptions = {
  taskQueue: QUEUES.records,
  startToCloseTimeout: '2m',
  retry: { maximumInterval: '1m' },
}

/** A step of the reconciler, which runs again in seconds anyway. */
export const reconciliation: ActivityOptions = {
  taskQueue: QUEUES.operations,
  startToCloseTimeout: '60s',
  retry: { maximumAttempts: 3 },
}
