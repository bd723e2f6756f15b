import { z } from 'zod'
import {
  appDatabaseVariable,
  keySourceVariables,
  portVariable,
  readPspAddresses,
  readVariables,
  sharedVariables,
} from '../process/config.ts'
import { withKeyRing } from '../process/key-source.ts'
import { SIMULATORS } from '../simulators/registry.ts'

/** Variables of `npm start`; it starts the servers whose addresses a service would require. */
export const localVariables = {
  DATABASE_URL: sharedVariables.DATABASE_URL.optional(),
  RECOUP_APP_DATABASE_URL: appDatabaseVariable,
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
  TEMPORAL_NAMESPACE: sharedVariables.TEMPORAL_NAMESPACE,
  TEMPORAL_CLI_PATH: z.string().min(1).optional(),
  RECOUP_ENVIRONMENT: sharedVariables.RECOUP_ENVIRONMENT,
  RECOUP_ENCRYPTION_KEYS: z.string().min(1).optional(),
  ...keySourceVariables,
  RECOUP_POLL_INTERVAL_SECONDS: z.coerce.number().int().min(1).default(15),
  RECOUP_POLLING: sharedVariables.RECOUP_POLLING,
  RECOUP_API_PORT: portVariable.default(8080),
  RECOUP_API_METRICS_PORT: portVariable.default(8082),
  RECOUP_WORKER_PORT: portVariable.default(8081),
  RECOUP_POSTGRES_PORT: portVariable.default(54329),
  RECOUP_TEMPORAL_PORT: portVariable.default(7233),
  RECOUP_TEMPORAL_UI_PORT: portVariable.default(8233),
  RECOUP_SIMULATORS_PORT: portVariable.default(12110),
  RECOUP_RECEIVER_PORT: portVariable.default(8083),
  RECOUP_WEBHOOK_ALLOWED_NETWORKS: z.string().optional(),
  RECOUP_DATA_FOLDER: z.string().min(1).default('.recoup'),
}

export type LocalConfig = ReturnType<typeof readLocalConfig>

/** @throws an Error that names each invalid variable and its expected format, never the value */
export function readLocalConfig(env: Record<string, string | undefined> = process.env) {
  const read = readVariables(localVariables, withKeyRing(env))
  return { ...read, pspAddresses: readPspAddresses(SIMULATORS, env, read.RECOUP_ENVIRONMENT) }
}
