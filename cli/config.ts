import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type KeyRing, readKeyRing } from '../db/seal.ts'
import { ENVIRONMENTS, type Environment } from '../domain/integration.ts'
import type { TemporalSecurity } from '../workflows/temporal.ts'
import { UsageError } from './command.ts'

export interface TemporalAddress {
  address: string
  namespace: string
  security: TemporalSecurity
}

export interface CliConfig {
  databaseUrl: string
  environment: Environment
  ring(): KeyRing
  temporal: TemporalAddress
}

/**
 * The variables of the services; where one is missing, what `npm start` left in its data folder, so that the command
 * line works beside it without any set-up.
 * @throws UsageError that says what to set
 */
export function readCliConfig(env: Record<string, string | undefined> = process.env): CliConfig {
  const folder = env.RECOUP_DATA_FOLDER || '.recoup'
  const stack = stackOf(folder)
  const own = stack?.databaseUrl
  const databaseUrl = env.DATABASE_URL || own
  if (!databaseUrl) throw new UsageError('DATABASE_URL is not set, and no stack of `npm start` is here')
  const environment = (env.RECOUP_ENVIRONMENT || 'sandbox') as Environment
  if (!ENVIRONMENTS.includes(environment)) throw new UsageError(`RECOUP_ENVIRONMENT: ${ENVIRONMENTS.join(' or ')}`)
  return {
    databaseUrl,
    environment,
    temporal: temporalOf(env, databaseUrl === own ? stack : null),
    ring() {
      // The folder's keys are those of its database: what another one holds must not be sealed with them.
      const keys =
        env.RECOUP_ENCRYPTION_KEYS || (databaseUrl === own && fileOf(folder, 'encryption-keys')?.trim()) || null
      if (!keys) throw new UsageError('RECOUP_ENCRYPTION_KEYS is not set: give it the keys of the services')
      return readKeyRing(keys)
    },
  }
}

/** The services' own defaults. The stack's Temporal belongs to its database. */
function temporalOf(env: Record<string, string | undefined>, stack: Stack | null): TemporalAddress {
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
}

function fileOf(folder: string, name: string): string | null {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

function stackOf(folder: string): Stack | null {
  const text = fileOf(folder, 'stack.json')
  return text === null ? null : (JSON.parse(text) as Stack)
}
