import { z } from 'zod'
import { type KeyRing, readKeyRing } from '../db/seal.ts'
import { ENVIRONMENTS } from '../domain/integration.ts'

const port = z.coerce.number().int().min(0).max(65_535)

export const variables = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address of the database'),
  TEMPORAL_ADDRESS: z.string().min(1, 'must be host:port of the Temporal server').default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  RECOUP_ENVIRONMENT: z.enum(ENVIRONMENTS, 'must be sandbox or production').default('sandbox'),
  RECOUP_ENCRYPTION_KEYS: z.string('must hold the keys that seal secrets, "id:base64 of 32 bytes"'),
  RECOUP_API_PORT: port.default(8080),
  RECOUP_API_HOST: z.string().min(1).default('127.0.0.1'),
  RECOUP_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1000),
  RECOUP_POLL_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(300),
  RECOUP_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** A PSP's address may be moved in the sandbox only: in production secrets go to the PSP and nowhere else. */
const SANDBOX_ONLY = ['STRIPE_API_URL', 'PAYPAL_API_URL', 'BRAINTREE_API_URL', 'ADYEN_API_URL']

export interface ApiConfig {
  databaseUrl: string
  temporalAddress: string
  temporalNamespace: string
  environment: 'sandbox' | 'production'
  ring: KeyRing
  port: number
  host: string
  rateLimitPerMinute: number
  pollIntervalSeconds: number
  logLevel: string
}

/** @throws an Error that names every wrong variable and says what it must be, never what it is */
export function readConfig(env: Record<string, string | undefined> = process.env): ApiConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = variables.safeParse(given)
  if (!read.success) {
    const lines = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The environment is not complete. ${lines.join('; ')}.`)
  }
  const moved = SANDBOX_ONLY.filter((name) => given[name])
  if (read.data.RECOUP_ENVIRONMENT === 'production' && moved.length > 0)
    throw new Error(`${moved.join(', ')}: allowed in the sandbox environment only; unset it to run in production.`)
  return {
    databaseUrl: read.data.DATABASE_URL,
    temporalAddress: read.data.TEMPORAL_ADDRESS,
    temporalNamespace: read.data.TEMPORAL_NAMESPACE,
    environment: read.data.RECOUP_ENVIRONMENT,
    ring: readKeyRing(read.data.RECOUP_ENCRYPTION_KEYS),
    port: read.data.RECOUP_API_PORT,
    host: read.data.RECOUP_API_HOST,
    rateLimitPerMinute: read.data.RECOUP_RATE_LIMIT_PER_MINUTE,
    pollIntervalSeconds: read.data.RECOUP_POLL_INTERVAL_SECONDS,
    logLevel: read.data.RECOUP_LOG_LEVEL,
  }
}
