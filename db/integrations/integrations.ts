import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import { authorForMerchant, problemOf } from '../../domain/integration-problem.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { integrationNotFound, Refusal, violates } from '../core/refusal.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { copyScopeRules } from '../scope-rules/scope-settings.ts'

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

/** An integration as clients see it; no part of its secret. */
export interface IntegrationRecord {
  integrationId: string
  integrationName: string
  source: Source
  status: IntegrationStatus
  statusReason: string | null
  statusChangedAt: Date
  goLiveDate: Date | null
  /** End of the last poll, whatever its result. */
  lastPolledAt: Date | null
  /** Verified deliveries only. */
  lastNotificationAt: Date | null
  /** Objects of the PSP that could not be translated. */
  quarantined: number
  problem: string | null
}

/**
 * Stores the integration as PENDING and requests its verification in the same transaction.
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

/** Integrations of one merchant. The count is a subquery of each row, so that a page is one statement. */
const visible = (db: Database, merchantUuid: string) =>
  db
    .selectFrom('integration as i')
    .select(['integration_id', 'integration_name', 'source', 'status', 'status_reason', 'status_changed_at'])
    .select(['go_live_date', 'verified_at', 'polled_at', 'poll_error', 'notification_at'])
    .select(['paused', 'pause_changed_at', 'pause_changed_by', 'pause_reason'])
    .select((eb) =>
      eb
        .selectFrom('quarantine as q')
        .select((count) => count.fn.countAll<bigint>().as('count'))
        .whereRef('q.integration_id', '=', 'i.integration_id')
        .as('quarantined'),
    )
    .where('merchant_uuid', '=', merchantUuid)

type VisibleRow = Awaited<ReturnType<ReturnType<typeof visible>['executeTakeFirstOrThrow']>>

function toRecord(row: VisibleRow): IntegrationRecord {
  const status = row.status as IntegrationStatus
  return {
    integrationId: row.integration_id,
    integrationName: row.integration_name,
    source: row.source,
    status,
    statusReason: row.status_reason,
    statusChangedAt: row.status_changed_at,
    goLiveDate: row.go_live_date,
    lastPolledAt: row.polled_at,
    lastNotificationAt: row.notification_at,
    quarantined: Number(row.quarantined ?? 0),
    problem: problemOf({
      status,
      statusReason: row.status_reason,
      verifiedAt: row.verified_at,
      polledAt: row.polled_at,
      pollError: row.poll_error,
      paused: row.paused,
      pauseChangedAt: row.pause_changed_at,
      pauseChangedBy: authorForMerchant(row.pause_changed_by),
      pauseReason: row.pause_reason,
    }),
  }
}

/** @throws Refusal integration_not_found, also for an integration of another merchant */
export async function readIntegration(
  db: Database,
  { merchantUuid, integrationId }: { merchantUuid: string; integrationId: string },
): Promise<IntegrationRecord> {
  const row = await visible(db, merchantUuid).where('integration_id', '=', integrationId).executeTakeFirst()
  if (!row) throw integrationNotFound()
  return toRecord(row)
}

/** Those of the integrations that the merchant has. */
export async function readIntegrations(
  db: Database,
  { merchantUuid, integrationIds }: { merchantUuid: string; integrationIds: readonly string[] },
): Promise<IntegrationRecord[]> {
  const rows = await visible(db, merchantUuid).where('integration_id', 'in', integrationIds).execute()
  return rows.map(toRecord)
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
  let query = visible(db, filter.merchantUuid)
  if (filter.integrationId) query = query.where('integration_id', '=', filter.integrationId)
  if (filter.startDate) query = query.where('created_at', '>=', filter.startDate)
  // Times are stored in microseconds and shown in milliseconds: include the whole last millisecond.
  if (filter.endDate) query = query.where('created_at', '<', new Date(filter.endDate.getTime() + 1))
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('integration_id', 'desc')
    .limit(filter.limit)
    .offset(sql<number>`${BigInt(filter.page - 1) * BigInt(filter.limit)}`)
    .execute()
  return rows.map(toRecord)
}
