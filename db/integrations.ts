import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { IntegrationStatus, SecretType, Source } from '../domain/integration.ts'
import type { Database } from './connect.ts'
import { enqueue } from './outbox.ts'
import { integrationNotFound, Refusal, violates } from './refusal.ts'
import { copyScopeRules } from './scope-settings.ts'
import { type KeyRing, seal, sealContext } from './seal.ts'
import { inTransaction } from './transaction.ts'

export interface NewIntegration {
  merchantUuid: string
  source: Source
  integrationName: string
  externalIdentifier: string
  secretType: SecretType
  /** As the client sent it, unknown keys included; stored sealed. */
  secretPayload: Record<string, unknown>
  /** Omitted: live as soon as it is verified. Null: waits for the operator. */
  goLiveDate?: Date | null | undefined
  merchantAccountCodes?: string[] | undefined
  parentIntegrationId?: string | undefined
}

/** What clients see of an integration; never any part of its secret. */
export interface IntegrationRecord {
  integrationId: string
  source: Source
  status: IntegrationStatus
  goLiveDate: Date | null
}

/**
 * Stores the integration, PENDING, and asks for its verification in the same transaction.
 * @returns the outbox message to dispatch after the commit
 * @throws Refusal duplicate_integration, integration_not_found (the parent)
 */
export function createIntegration(
  db: Database,
  ring: KeyRing,
  integration: NewIntegration,
): Promise<{ integrationId: string; outboxId: bigint }> {
  const { merchantUuid, source, externalIdentifier } = integration
  const integrationId = uuidv7()
  const context = sealContext.integrationSecret({ integrationId, source, merchantUuid })
  return inTransaction(db, async (trx) => {
    if (integration.parentIntegrationId)
      await readIntegration(trx, { merchantUuid, integrationId: integration.parentIntegrationId })
    await trx
      .insertInto('integration')
      .values({
        integration_id: integrationId,
        merchant_uuid: merchantUuid,
        source,
        integration_name: integration.integrationName,
        external_identifier: externalIdentifier,
        secret_type: integration.secretType,
        secret_sealed: seal(ring, JSON.stringify(integration.secretPayload), context),
        go_live_date: integration.goLiveDate ?? null,
        go_live_waits: integration.goLiveDate === null,
        merchant_account_codes: integration.merchantAccountCodes ?? [],
        parent_integration_id: integration.parentIntegrationId ?? null,
      })
      .execute()
    const parent = integration.parentIntegrationId
    if (parent) await copyScopeRules(trx, { merchantUuid, from: parent, to: integrationId })
    return { integrationId, outboxId: await enqueue(trx, { kind: 'verify_integration', payload: { integrationId } }) }
  }).catch((error) => {
    if (violates(error, 'integration_identifier'))
      throw new Refusal(
        'invalid',
        'duplicate_integration',
        `externalIdentifier: the merchant has an active ${source} integration with this identifier already.`,
      )
    throw error
  })
}

const visible = ['integration_id', 'source', 'status', 'go_live_date'] as const
interface VisibleRow {
  integration_id: string
  source: string
  status: string
  go_live_date: Date | null
}
const toRecord = (row: VisibleRow): IntegrationRecord => ({
  integrationId: row.integration_id,
  source: row.source as Source,
  status: row.status as IntegrationStatus,
  goLiveDate: row.go_live_date,
})

/** @throws Refusal integration_not_found, also for another merchant's */
export async function readIntegration(
  db: Database,
  { merchantUuid, integrationId }: { merchantUuid: string; integrationId: string },
): Promise<IntegrationRecord> {
  const row = await db
    .selectFrom('integration')
    .select(visible)
    .where('merchant_uuid', '=', merchantUuid)
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
  if (!row) throw integrationNotFound()
  return toRecord(row)
}

export interface IntegrationFilter {
  merchantUuid: string
  /** 10 to 100. */
  limit: number
  /** From 1. */
  page: number
  integrationId?: string | undefined
  /** Range of the time of creation, both ends included. */
  startDate?: Date | undefined
  endDate?: Date | undefined
}

/** Newest first. */
export async function listIntegrations(db: Database, filter: IntegrationFilter): Promise<IntegrationRecord[]> {
  let query = db.selectFrom('integration').select(visible).where('merchant_uuid', '=', filter.merchantUuid)
  if (filter.integrationId) query = query.where('integration_id', '=', filter.integrationId)
  if (filter.startDate) query = query.where('created_at', '>=', filter.startDate)
  // Times are kept to the microsecond and given to the millisecond: the end takes its whole millisecond.
  if (filter.endDate) query = query.where('created_at', '<', new Date(filter.endDate.getTime() + 1))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('integration_id', 'desc')
    .limit(filter.limit)
    .offset(sql<number>`${BigInt(filter.page - 1) * BigInt(filter.limit)}`)
    .execute()
  return rows.map(toRecord)
}
