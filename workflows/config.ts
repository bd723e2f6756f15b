import { z } from 'zod'
import {
  keySourceVariables,
  portVariable,
  readPspAddresses,
  readVariables,
  refuseFaults,
  type SharedVariables,
  sharedVariables,
} from '../process/config.ts'
import { withKeyRing } from '../process/key-source.ts'
import type { Polling } from './schedules.ts'
import type { TemporalSecurity } from './temporal.ts'

export const workerVariables = {
  ...sharedVariables,
  ...keySourceVariables,
  RECOUP_WORKER_PORT: portVariable.default(8081),
  RECOUP_WORKER_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_SHUTDOWN_GRACE_SECONDS: z.coerce.number().int().min(1).default(25),
  /** Seconds a killed worker delays the next workflow task of its runs; the SDK's own default (10) when unset. */
  RECOUP_STICKY_SECONDS: z.coerce.number().int().min(1).optional(),
  /** File made by scripts/bundle-workflows.ts; without it the worker bundles at its start. */
  RECOUP_WORKFLOW_BUNDLE: z.string().min(1).optional(),
}

export type WorkerConfig = ReturnType<typeof readWorkerConfig>

/** @throws an Error that names every wrong variable */
export function readWorkerConfig(env: Record<string, string | undefined> = process.env) {
  const read = readVariables(workerVariables, withKeyRing(env))
  return {
    ...commonConfig(read, env),
    port: read.RECOUP_WORKER_PORT,
    host: read.RECOUP_WORKER_HOST,
    shutdownGraceSeconds: read.RECOUP_SHUTDOWN_GRACE_SECONDS,
    stickySeconds: read.RECOUP_STICKY_SECONDS,
    bundle: read.RECOUP_WORKFLOW_BUNDLE,
  }
}

/** What api and worker both need to know. @throws an Error when production is given what only a sandbox may have */
export function commonConfig(read: SharedVariables, env: Record<string, string | undefined>) {
  refuseFaults(read)
  return {
    databaseUrl: read.DATABASE_URL,
    temporalAddress: read.TEMPORAL_ADDRESS,
    temporalNamespace: read.TEMPORAL_NAMESPACE,
    temporalSecurity: securityOf(read),
    environment: read.RECOUP_ENVIRONMENT,
    ring: read.RECOUP_ENCRYPTION_KEYS,
    baseUrls: readPspAddresses(env, read.RECOUP_ENVIRONMENT),
    polling: pollingOf(read),
    fileProcesses: read.RECOUP_FILE_PROCESSES,
    logLevel: read.RECOUP_LOG_LEVEL,
    crashAt: read.CRASH_AT,
    holdAt: read.HOLD_AT,
  }
}

/** A key never goes over a line that is not encrypted. */
const securityOf = ({ TEMPORAL_TLS, TEMPORAL_API_KEY }: SharedVariables): TemporalSecurity =>
  TEMPORAL_API_KEY ? { tls: true, apiKey: TEMPORAL_API_KEY } : { tls: TEMPORAL_TLS === 'true' }

/** Interval and time-outs that starters hand to workflows. */
function pollingOf(read: SharedVariables): Polling {
  return {
    intervalSeconds: read.RECOUP_POLL_INTERVAL_SECONDS,
    pace: {
      commandMs: read.RECOUP_COMMAND_TIMEOUT_MS,
      heartbeatMs: read.RECOUP_HEARTBEAT_MS,
      recheckMs: read.RECOUP_RECHECK_MS,
      retryMs: read.RECOUP_RETRY_MS,
    },
  }
}
