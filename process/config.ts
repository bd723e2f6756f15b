import { z } from 'zod'
import { readKeyRing } from '../db/core/seal.ts'
import { ENVIRONMENTS, type Source } from '../domain/integration.ts'
import { POLLING_CHOICES } from '../domain/polling-mode.ts'
import { addressBlocks } from './address-blocks.ts'
import { KEY_SOURCES } from './key-source.ts'

/** Variables shared by api and worker. Each process reads its environment once, at start. */

const milliseconds = z.coerce.number().int().min(10)
const port = z.coerce.number().int().min(0).max(65_535)

/** URL of Postgres with its database. */
const databaseAddress = z
  .string('must be a postgres:// address of the database')
  .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// address of the database')

/** URL with the role of api and worker, for `migrate`. */
export const appDatabaseVariable = databaseAddress.optional()

export const sharedVariables = {
  DATABASE_URL: databaseAddress,
  TEMPORAL_ADDRESS: z.string().min(1, 'must be host:port of the Temporal server').default('127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: z.string().min(1).default('default'),
  TEMPORAL_TLS: z.enum(['true', 'false'], 'must be true or false').default('false'),
  TEMPORAL_API_KEY: z.string().min(1).optional(),
  RECOUP_ENVIRONMENT: z.enum(ENVIRONMENTS, 'must be sandbox or production').default('sandbox'),
  RECOUP_ENCRYPTION_KEYS: z
    .string('must hold the keys that seal secrets, "id:base64 of 32 bytes"')
    .transform((text, context) => {
      try {
        return readKeyRing(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    }),
  RECOUP_POLL_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(300),
  RECOUP_POLLING: z.enum(POLLING_CHOICES, `must be one of ${POLLING_CHOICES.join(', ')}`).default('schedules'),
  RECOUP_POLL_SHARDS: z.coerce.number().int().min(1).max(64).default(8),
  RECOUP_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  RECOUP_COMMAND_TIMEOUT_MS: milliseconds.max(120_000).default(60_000),
  RECOUP_HEARTBEAT_MS: milliseconds.default(60_000),
  RECOUP_RECHECK_MS: milliseconds.default(60_000),
  RECOUP_RETRY_MS: milliseconds.default(2_000),
  RECOUP_FILE_PROCESSES: z.coerce.number().int().min(2).max(64).default(4),
  RECOUP_WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .default('')
    .transform((text, context) => {
      try {
        return addressBlocks(text.split(',').flatMap((block) => block.trim() || []))
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    }),
  RECOUP_WEBHOOK_PROXY: z
    .url({ protocol: /^http$/, error: 'must be the http:// address of a proxy that opens tunnels (CONNECT)' })
    .optional()
    .transform((text) => (text === undefined ? null : new URL(text))),
}

/** Alternative sources of RECOUP_ENCRYPTION_KEYS; `withKeyRing` reads them before variables are checked. */
export const keySourceVariables = {
  [KEY_SOURCES.file]: z.string().min(1).optional(),
  [KEY_SOURCES.command]: z.string().min(1).optional(),
}

export type SharedVariables = z.output<z.ZodObject<typeof sharedVariables>>

export const portVariable = port

/** A PSP, and the variable with its base URL. */
interface Movable {
  source: Source
  baseUrlVariable: string
}

/** @throws an Error that names every invalid variable and the expected format, never the value */
export function readVariables<Shape extends z.ZodRawShape>(
  shape: Shape,
  env: Record<string, string | undefined>,
): z.output<z.ZodObject<Shape>> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = z.object(shape).safeParse(given)
  if (read.success) return read.data
  const lines = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not complete. ${lines.join('; ')}.`)
}

/**
 * Where PSPs answer instead of their public addresses. An address moves in the sandbox only: in production secrets go to
 * the PSP and nowhere else. @throws an Error in production, or when one is no address
 */
export function readPspAddresses(
  psps: readonly Movable[],
  env: Record<string, string | undefined>,
  environment: string,
): Partial<Record<Source, string>> {
  const moved = new Map(psps.map((psp) => [psp.baseUrlVariable, psp.source] as const).filter(([name]) => env[name]))
  if (environment === 'production' && moved.size > 0)
    throw new Error(
      `${[...moved.keys()].join(', ')}: allowed in the sandbox environment only; unset it to run in production.`,
    )
  for (const name of moved.keys())
    if (!URL.canParse(env[name] as string) || !/^https?:/.test(env[name] as string))
      throw new Error(`${name}: must be an http(s) address`)
  return Object.fromEntries([...moved].map(([name, source]) => [source, env[name]]))
}
