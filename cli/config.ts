import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type KeyRing, readKeyRing } from '../db/core/seal.ts'
import type { Environment } from '../domain/integration.ts'
import { appDatabaseVariable, keySourceVariables, readVariables, sharedVariables } from '../process/config.ts'
import { withKeyRing } from '../process/key-source.ts'
import type { TemporalAddress } from '../workflows/starters/temporal.ts'
import { UsageError } from './command.ts'

/** Variables of the command line. */
export const cliVariables = {
  DATABASE_URL: sharedVariables.DATABASE_URL.optional(),
  RECOUP_APP_DATABASE_URL: appDatabaseVariable,
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: z.string().min(1).optional(),
  TEMPORAL_TLS: sharedVariables.TEMPORAL_TLS,
  TEMPORAL_API_KEY: sharedVariables.TEMPORAL_API_KEY,
  RECOUP_ENVIRONMENT: sharedVariables.RECOUP_ENVIRONMENT,
  RECOUP_ENCRYPTION_KEYS: z.string().min(1).optional(),
  ...keySourceVariables,
  RECOUP_DATA_FOLDER: z.string().min(1).default('.recoup'),
  RECOUP_TOKEN_MAX_DAYS: z.coerce.number().int().min(1).default(365),
  RECOUP_OPERATOR: z.string().min(1).optional(),
}

export interface CliConfig {
  databaseUrl: string
  environment: Environment
  appDatabaseUrl: string | undefined
  ring(): KeyRing
  temporal: TemporalAddress
  /** Address of the Temporal UI of `npm start`; null when that is not the Temporal in use. */
  temporalUi: string | null
  /** Control addresses of the PSPs that `npm start` simulates; null when it does not run on this database. */
  simulators: Record<string, string> | null
  /** RECOUP_OPERATOR, not checked yet. */
  operator: string | undefined
  /** Days that a new credential may last. */
  tokenDays: number
}

/**
 * The variables of the services. Missing ones come from the data folder of `npm start`, so that the command line works
 * with it without any set-up.
 * @throws UsageError that says what to set
 */
export function readCliConfig(env: Record<string, string | undefined> = process.env): CliConfig {
  const read = readOwn(env)
  const folder = read.RECOUP_DATA_FOLDER
  const stack = stackOf(folder)
  const own = stack?.databaseUrl
  const databaseUrl = read.DATABASE_URL || own
  if (!databaseUrl)
    throw new UsageError('DATABASE_URL is not set, and this folder has no stack of `npm start`. Set DATABASE_URL')
  return {
    databaseUrl,
    environment: read.RECOUP_ENVIRONMENT,
    appDatabaseUrl: read.RECOUP_APP_DATABASE_URL,
    temporal: temporalOf(read, databaseUrl === own ? stack : null),
    temporalUi: (databaseUrl === own && !read.TEMPORAL_ADDRESS && stack?.temporalUiUrl) || null,
    simulators: databaseUrl === own && stack?.simulators ? controlUrls(stack.simulators) : null,
    operator: read.RECOUP_OPERATOR,
    tokenDays: read.RECOUP_TOKEN_MAX_DAYS,
    ring() {
      // The folder's keys belong to its own database: values of another one must not be sealed with them.
      const keys = keysOf(env) || (databaseUrl === own && fileOf(folder, 'encryption-keys')?.trim()) || null
      if (!keys) throw new UsageError('RECOUP_ENCRYPTION_KEYS is not set. Set it to the keys of the services')
      return readKeyRing(keys)
    },
  }
}

function readOwn(env: Record<string, string | undefined>) {
  try {
    return readVariables(cliVariables, env)
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/\.$/, ''))
  }
}

function keysOf(env: Record<string, string | undefined>): string | undefined {
  try {
    return withKeyRing(env).RECOUP_ENCRYPTION_KEYS
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/\.$/, ''))
  }
}

/** The services' own defaults. The stack's Temporal belongs to its database. */
function temporalOf(env: ReturnType<typeof readOwn>, stack: Stack | null): TemporalAddress {
  const apiKey = env.TEMPORAL_API_KEY
  return {
    address: env.TEMPORAL_ADDRESS || stack?.temporalAddress || '127.0.0.1:7233',
    namespace: env.TEMPORAL_NAMESPACE || stack?.temporalNamespace || 'default',
    security: apiKey ? { tls: true, apiKey } : { tls: env.TEMPORAL_TLS === 'true' },
  }
}

interface Stack {
  databaseUrl?: string
  temporalAddress?: string
  temporalNamespace?: string
  temporalUiUrl?: string | null
  simulators?: Record<string, { controlUrl: string }>
}

const controlUrls = (simulators: NonNullable<Stack['simulators']>) =>
  Object.fromEntries(Object.entries(simulators).map(([source, { controlUrl }]) => [source, controlUrl]))

function fileOf(folder: string, name: string): string | null {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

function stackOf(folder: string): Stack | null {
  const text = fileOf(folder, 'stack.json')
  return text === null ? null : (JSON.parse(text) as Stack)
}
