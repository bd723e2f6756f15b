import { z } from 'zod'
import { portVariable, readPspAddresses, readVariables, refuseFaults, sharedVariables } from '../process/config.ts'
import { pollingOf } from '../workflows/config.ts'

export const apiVariables = {
  ...sharedVariables,
  RECOUP_API_PORT: portVariable.default(8080),
  RECOUP_API_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1000),
}

export type ApiConfig = ReturnType<typeof readApiConfig>

/** @throws an Error that names every wrong variable */
export function readApiConfig(env: Record<string, string | undefined> = process.env) {
  const read = readVariables(apiVariables, env)
  refuseFaults(read)
  return {
    databaseUrl: read.DATABASE_URL,
    temporalAddress: read.TEMPORAL_ADDRESS,
    temporalNamespace: read.TEMPORAL_NAMESPACE,
    environment: read.RECOUP_ENVIRONMENT,
    ring: read.RECOUP_ENCRYPTION_KEYS,
    baseUrls: readPspAddresses(env, read.RECOUP_ENVIRONMENT),
    polling: pollingOf(read),
    logLevel: read.RECOUP_LOG_LEVEL,
    port: read.RECOUP_API_PORT,
    host: read.RECOUP_API_HOST,
    rateLimitPerMinute: read.RECOUP_RATE_LIMIT_PER_MINUTE,
    crashAt: read.CRASH_AT,
    holdAt: read.HOLD_AT,
  }
}
