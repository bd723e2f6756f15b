import type { Database } from '../db/core/connect.ts'
import type { SimulatorDefinition } from '../simulators/engine/definition.ts'
import type { SimulatedPsp } from './psps.ts'
import type { Demo } from './seed.ts'

type ConnectSet = Pick<SimulatorDefinition, 'externalIdentifier' | 'secretType' | 'secretPayload'>

/** `.recoup/stack.json`: scripts depend on its format. Null when a server was not started here or has none. */
export interface StackFile {
  /** Ends with /v1. */
  apiUrl: string
  docsUrl: string
  consoleUrl: string
  /** Prints the events of the demo account as they arrive. Null in production. */
  receiverUrl: string | null
  temporalUiUrl: string | null
  temporalAddress: string
  temporalNamespace: string
  databaseUrl: string
  tokens: { account: string; group: string; merchant: string }
  merchant: { merchantUuid: string; referenceId: string }
  integrations: { integrationId: string; source: string; secretType: string }[]
  /** By PSP. Payloads to connect another account, and two that fail in different ways. */
  simulators: Record<
    string,
    ConnectSet & {
      url: string
      controlUrl: string
      refusedSecretPayload: Record<string, string>
      restrictedSecretPayload: Record<string, string>
    }
  >
  processes: Record<'api' | 'worker' | 'postgres' | 'temporal' | 'simulators', number | null>
}

export const STACK_FILE = 'stack.json'

export function describeSimulators(psps: readonly SimulatedPsp[], controlPort: number): StackFile['simulators'] {
  return Object.fromEntries(
    psps.map(({ definition, portOffset }) => [
      definition.source,
      {
        url: `http://127.0.0.1:${controlPort + portOffset}`,
        controlUrl: `http://127.0.0.1:${controlPort}/${definition.source}`,
        externalIdentifier: definition.externalIdentifier,
        secretType: definition.secretType,
        secretPayload: definition.secretPayload,
        refusedSecretPayload: definition.refusedSecretPayload,
        restrictedSecretPayload: definition.restrictedSecretPayload,
      },
    ]),
  )
}

/** The demo merchant's integrations that are not deactivated, oldest first. */
export async function describeIntegrations(db: Database, demo: Demo): Promise<StackFile['integrations']> {
  const rows = await db
    .selectFrom('integration')
    .select(['integration_id', 'source', 'secret_type'])
    .where('merchant_uuid', '=', demo.merchantUuid)
    .where('status', '<>', 'INACTIVE')
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({
    integrationId: row.integration_id,
    source: row.source,
    secretType: row.secret_type,
  }))
}
