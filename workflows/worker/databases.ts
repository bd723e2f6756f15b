import type { Clock } from '../../db/core/clock.ts'
import { type ConnectedDatabase, connect } from '../../db/core/connect.ts'
import type { Log } from '../../process/log.ts'
import type { ActivityDeps } from '../activities/deps.ts'
import type { Activities, createActivities } from '../activities/index.ts'
import type { QUEUES } from '../contract.ts'
import type { WorkerConfig } from './config.ts'

/**
 * Connections of a worker. Polls have their own, so that commands never queue for one behind a hundred polls, and so have
 * the event log and its webhooks.
 */
export const CONNECTIONS = { polling: 8, others: 6, webhooks: 4 }

export interface WorkerDatabases {
  /** Of commands, records, operations, the relay and metrics. */
  db: ConnectedDatabase
  pollingDb: ConnectedDatabase
  webhookDb: ConnectedDatabase
}

export function openDatabases(
  { databaseUrl, environment }: Pick<WorkerConfig, 'databaseUrl' | 'environment'>,
  clock: Clock,
  log: Pick<Log, 'warn'>,
): WorkerDatabases {
  const open = (max: number) =>
    connect(databaseUrl, {
      scope: 'system',
      max,
      clock,
      environment,
      onError: (error) => log.warn({ error }, 'database connection lost'),
    })
  return {
    db: open(CONNECTIONS.others),
    pollingDb: open(CONNECTIONS.polling),
    webhookDb: open(CONNECTIONS.webhooks),
  }
}

/** Activities of each task queue: polls and backfills use the polling connections, all others the other pool. */
export function activitiesByQueue(
  { db, pollingDb }: Pick<WorkerDatabases, 'db' | 'pollingDb'>,
  create: typeof createActivities,
  deps: Omit<ActivityDeps, 'db'>,
): Record<keyof typeof QUEUES, Activities> {
  const [others, polls] = [create({ ...deps, db }), create({ ...deps, db: pollingDb })]
  return { commands: others, records: others, operations: others, building: others, polling: polls, backfills: polls }
}
