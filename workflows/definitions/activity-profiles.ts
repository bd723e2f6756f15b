import type { ActivityOptions } from '@temporalio/workflow'
import { type Pace, QUEUES } from '../contract.ts'

/**
 * How activities run: queue, time-outs, retry policy and priority, by name. Every `proxyActivities` takes one of these,
 * so that a retry policy is changed here and nowhere else. Options may differ between versions: a replay compares the
 * name and the order of activities only.
 */

/** A client's command that is sent to a PSP. */
interface Command {
  integrationId: string
  /** ISO time after which there are no further attempts. */
  deadline: string
  pace: Pace
}

interface AtPsp {
  integrationId: string
  pace: Pace
}

/** Lower values run first. */
const PRIORITY = { command: 1, clientWaits: 2, poll: 3, drift: 4 }
/** A projection is one transaction: after this time its worker is lost, ms. */
const PROJECTION_MS = 15_000
/** Time limit of a dry run, for the waiting client, ms. */
const DRY_RUN_MS = 8_000
/** One attempt to rotate a secret: a crashed worker delays the next attempt by this time, ms. */
const ROTATION_ATTEMPT_MS = 8_000
/** The client waits for 20 s (ROTATION_SECONDS); then the candidate is withdrawn. */
const ROTATION_MS = 19_000

/** Reads and writes at the PSP until the command's deadline, after which the outcome is flagged for operators. */
export const command = ({ integrationId, deadline, pace }: Command, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: pace.commandMs,
  scheduleToCloseTimeout: Math.max(1_000, Date.parse(deadline) - Date.now()),
  retry: { initialInterval: pace.retryMs, backoffCoefficient: 2, maximumInterval: '10m' },
  priority: { priorityKey: PRIORITY.command, fairnessKey: integrationId },
  summary,
})

/** Upload of a command's file to the PSP. */
export const upload = (input: Command, summary: string): ActivityOptions => ({
  ...command(input, summary),
  startToCloseTimeout: '15m',
  heartbeatTimeout: input.pace.heartbeatMs,
})

/** A command's result in the database only: continues while a PSP is down. */
export const projection = (pace: Pace): ActivityOptions => ({
  taskQueue: QUEUES.records,
  startToCloseTimeout: Math.min(PROJECTION_MS, pace.commandMs),
})

/** A dry run of a submission, for a waiting client. */
export const dryRun = (summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: DRY_RUN_MS,
  scheduleToCloseTimeout: DRY_RUN_MS,
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
  priority: { priorityKey: PRIORITY.clientWaits },
  summary,
})

/** Check of a new secret, for a waiting client. */
export const secretRotation = (summary: string): ActivityOptions => ({
  taskQueue: QUEUES.commands,
  startToCloseTimeout: ROTATION_ATTEMPT_MS,
  scheduleToCloseTimeout: ROTATION_MS,
  retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '3s' },
  priority: { priorityKey: PRIORITY.clientWaits },
  summary,
})

/** The first slice of a poll. */
export const poll = ({ integrationId, pace }: AtPsp, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.polling,
  startToCloseTimeout: '10m',
  scheduleToCloseTimeout: '2h',
  heartbeatTimeout: pace.heartbeatMs,
  retry: { initialInterval: pace.retryMs, maximumInterval: '5m' },
  priority: { priorityKey: PRIORITY.poll, fairnessKey: integrationId },
  summary,
})

/** A further slice of a poll: those of any number of backfills leave the slots of `polling` to polls that begin. */
export const backfill = (input: AtPsp, summary: string): ActivityOptions => ({
  ...poll(input, summary),
  taskQueue: QUEUES.backfills,
})

/** A shard's run: it polls for a minute, and gives back what it has not begun. */
export const shard = (pace: Pace, summary: string): ActivityOptions => ({
  taskQueue: QUEUES.polling,
  startToCloseTimeout: '10m',
  heartbeatTimeout: pace.heartbeatMs,
  retry: { initialInterval: pace.retryMs, maximumInterval: '10s' },
  priority: { priorityKey: PRIORITY.poll },
  summary,
})

/** A comparison with the PSP's complete list; it may take as long as a backfill. */
export const drift = (input: AtPsp, summary: string): ActivityOptions => ({
  ...backfill(input, summary),
  startToCloseTimeout: '2h',
  scheduleToCloseTimeout: '6h',
  priority: { priorityKey: PRIORITY.drift, fairnessKey: input.integrationId },
})

/** Check of a credential at a PSP. */
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

/** Erasure of a person's records, pass after pass. */
export const erasure = (pace: Pace): ActivityOptions => ({
  taskQueue: QUEUES.records,
  startToCloseTimeout: '1h',
  heartbeatTimeout: '60s',
  retry: { initialInterval: pace.retryMs, maximumInterval: '5m' },
})

/**
 * A package of evidence: a read of the PSP and a document to lay out. A busy machine may need some minutes; then the build
 * counts as failed, and others come first.
 */
export const building: ActivityOptions = {
  taskQueue: QUEUES.building,
  startToCloseTimeout: '4m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '3s', backoffCoefficient: 3, maximumInterval: '2m', maximumAttempts: 6 },
  summary: 'gather, compose, render',
}

/** One row of the database. */
export const record: ActivityOptions = { taskQueue: QUEUES.records, startToCloseTimeout: '15s' }

/** A slice of an integration's chargebacks, decided again. */
export const recordSlice: ActivityOptions = {
  taskQueue: QUEUES.records,
  startToCloseTimeout: '2m',
  retry: { maximumInterval: '1m' },
}

/** A step of the reconciler, which runs again within seconds. */
export const reconciliation: ActivityOptions = {
  taskQueue: QUEUES.operations,
  startToCloseTimeout: '60s',
  retry: { maximumAttempts: 3 },
}
