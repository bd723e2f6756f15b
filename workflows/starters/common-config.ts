import { readPspAddresses, type SharedVariables } from '../../process/config.ts'
import type { Polling } from './schedules.ts'
import type { TemporalSecurity } from './temporal.ts'

/**
 * Configuration shared by api and worker. `psps`: those whose base URL may be replaced.
 * @throws an Error when production has settings that only a sandbox may have
 */
export function commonConfig(
  psps: Parameters<typeof readPspAddresses>[0],
  read: SharedVariables,
  env: Record<string, string | undefined>,
) {
  return {
    databaseUrl: read.DATABASE_URL,
    temporalAddress: read.TEMPORAL_ADDRESS,
    temporalNamespace: read.TEMPORAL_NAMESPACE,
    temporalSecurity: securityOf(read),
    environment: read.RECOUP_ENVIRONMENT,
    ring: read.RECOUP_ENCRYPTION_KEYS,
    baseUrls: readPspAddresses(psps, env, read.RECOUP_ENVIRONMENT),
    polling: pollingOf(read),
    fileProcesses: read.RECOUP_FILE_PROCESSES,
    receivers: { allowed: read.RECOUP_WEBHOOK_ALLOWED_NETWORKS, proxy: read.RECOUP_WEBHOOK_PROXY },
    logLevel: read.RECOUP_LOG_LEVEL,
  }
}

/** An API key is never sent over an unencrypted connection. */
const securityOf = ({ TEMPORAL_TLS, TEMPORAL_API_KEY }: SharedVariables): TemporalSecurity =>
  TEMPORAL_API_KEY ? { tls: true, apiKey: TEMPORAL_API_KEY } : { tls: TEMPORAL_TLS === 'true' }

/** Interval and time-outs that starters pass to workflows. */
function pollingOf(read: SharedVariables): Polling {
  return {
    intervalSeconds: read.RECOUP_POLL_INTERVAL_SECONDS,
    choice: read.RECOUP_POLLING,
    shards: read.RECOUP_POLL_SHARDS,
    pace: {
      commandMs: read.RECOUP_COMMAND_TIMEOUT_MS,
      heartbeatMs: read.RECOUP_HEARTBEAT_MS,
      recheckMs: read.RECOUP_RECHECK_MS,
      retryMs: read.RECOUP_RETRY_MS,
    },
  }
}
