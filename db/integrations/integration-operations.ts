import { sql, type UpdateObject } from 'kysely'
import type { IntegrationStatus } from '../../domain/integration.ts'
import { problemOf } from '../../domain/integration-problem.ts'
import { recomputeChargebacks } from '../chargebacks/recompute.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { readTime } from '../core/time.ts'
import { inTransaction } from '../core/transaction.ts'
import { STALE } from '../polling/stale.ts'
import type { DB } from '../schema.ts'
import { requestScopeRun } from '../scope-rules/scope-runs.ts'

/** An integration as operators see it: across merchants, with the state of its polls; no part of the secret. */
export interface OperatedIntegration {
  integrationId: string
  merchantUuid: string
  source: string
  integrationName: string
  externalIdentifier: string
  secretType: string
  status: IntegrationStatus
  statusReason: string | null
  statusChangedAt: Date
  paused: boolean
  /** Time of the last pause or resumption. */
  pauseChangedAt: Date | null
  pauseChangedBy: string | null
  pauseReason: string | null
  goLiveDate: Date | null
  goLiveWaits: boolean
  deactivationType: string | null
  deactivationDate: Date | null
  pspAccount: string | null
  findings: unknown
  createdAt: Date
  verifiedAt: Date | null
  checkedAt: Date | null
  polledAt: Date | null
  lastSuccessfulPollAt: Date | null
  pollError: string | null
  /** Polls in a row that failed; of shards only. */
  pollFailures: number
  /** Null if a schedule polls it. */
  nextPollAt: Date | null
  /** Workflow of the shard that polled it last. */
  pollWorkflow: string | null
  authenticationFailures: number
  notificationAt: Date | null
  /** Deliveries that failed verification. */
  notificationsRefused: number
  chargebacks: number
  quarantined: number
  /** Open chargebacks that the PSP reports nothing about and that can't be read. */
  stale: number
  problem: string | null
}

/** Newest first; of one merchant or of all, or the one with that id. */
export async function operatedIntegrations(
  db: Database,
  which: { merchantUuid?: string | undefined; integrationId?: string | undefined },
): Promise<OperatedIntegration[]> {
  const { rows } = await sql<Omit<OperatedIntegration, 'problem'>>`
    select integration_id as "integrationId", merchant_uuid as "merchantUuid", source,
      integration_name as "integrationName", external_identifier as "externalIdentifier",
      secret_type as "secretType", status, status_reason as "statusReason",
      status_changed_at as "statusChangedAt", paused, pause_changed_at as "pauseChangedAt",
      pause_changed_by as "pauseChangedBy", pause_reason as "pauseReason",
      go_live_date as "goLiveDate", go_live_waits as "goLiveWaits",
      deactivation_type as "deactivationType", deactivation_date as "deactivationDate", psp_account as "pspAccount", findings,
      created_at as "createdAt", verified_at as "verifiedAt", checked_at as "checkedAt", polled_at as "polledAt",
      last_successful_poll_at as "lastSuccessfulPollAt", poll_error as "pollError",
      case when lease_until > now() then greatest(poll_failures - 1, 0) else poll_failures end as "pollFailures",
      next_poll_at as "nextPollAt", poll_workflow as "pollWorkflow",
      authentication_failures as "authenticationFailures", notification_at as "notificationAt",
      notifications_refused::float8 as "notificationsRefused",
      (select count(*) from chargeback c where c.integration_id = i.integration_id)::int as chargebacks,
      (select count(*) from quarantine q where q.integration_id = i.integration_id)::int as quarantined,
      (select count(*) from chargeback c where c.integration_id = i.integration_id
        and c.psp_status in ('needs_response', 'under_review', 'unknown')
        and c.anomalies @> ${[STALE]}::text[])::int as stale
    from integration i
    where (${which.merchantUuid ?? null}::uuid is null or merchant_uuid = ${which.merchantUuid ?? null})
      and (${which.integrationId ?? null}::uuid is null or integration_id = ${which.integrationId ?? null})
    order by created_at desc, integration_id desc`.execute(db)
  return rows.map((row) => ({ ...row, problem: problemOf(row) }))
}

/** Row and outbox message in one transaction: the relay informs Temporal, also after an outage. */
function change(
  db: Database,
  integrationId: string,
  values: UpdateObject<DB, 'integration'>,
  messages: ('sync_schedule' | 'poll_now' | 'verify_integration')[],
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('integration')
      .select('status')
      .where('integration_id', '=', integrationId)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new Refusal('missing', 'integration_not_found', `There is no integration ${integrationId}.`)
    if (row.status === 'INACTIVE')
      throw new Refusal('invalid', 'integration_inactive', 'The integration is INACTIVE, which is final.')
    if (Object.keys(values).length > 0)
      await trx.updateTable('integration').set(values).where('integration_id', '=', integrationId).execute()
    for (const kind of messages) await enqueue(trx, { kind, payload: { integrationId } })
  })
}

export interface Pause {
  paused: boolean
  /** The operator's name. */
  by: string
  /** A sentence without personal data: clients read it. */
  reason: string | null
}

/**
 * Pauses or resumes its schedule, with author and reason. @throws Refusal integration_not_found, integration_inactive
 */
export const setPaused = (db: Database, integrationId: string, { paused, by, reason }: Pause) =>
  change(db, integrationId, { paused, pause_changed_at: sql`now()`, pause_changed_by: by, pause_reason: reason }, [
    'sync_schedule',
  ])

/**
 * Requests one poll now, or a new check of an unverified integration. @throws Refusal integration_not_found,
 * integration_inactive
 */
export async function requestPoll(db: Database, integrationId: string): Promise<'poll' | 'verification'> {
  const found = await db
    .selectFrom('integration')
    .select(['verified_at', 'status'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
  const verified = found?.verified_at != null && found.status !== 'FAILED'
  await change(db, integrationId, {}, [verified ? 'poll_now' : 'verify_integration'])
  return verified ? 'poll' : 'verification'
}

/**
 * Sets the date from which chargebacks are handled: null = all of them, once verified. Open chargebacks are decided
 * again: one slice at once, the rest by a workflow run that this requests. The slice has its own transaction, because
 * an enrichment locks chargebacks before the integration.
 * @param recorded further writes for the transaction of the change
 * @returns the number of statuses changed at once
 * @throws Refusal integration_not_found, integration_inactive
 */
export async function setGoLive(
  db: Database,
  integrationId: string,
  date: Date | null,
  recorded: (trx: Database) => Promise<void> = async () => {},
): Promise<{ moved: number }> {
  await inTransaction(db, async (trx) => {
    await change(trx, integrationId, { go_live_date: date, go_live_waits: false }, [])
    await trx
      .updateTable('integration')
      .set({ go_live_revision: sql`go_live_revision + 1` })
      .where('integration_id', '=', integrationId)
      .execute()
    await requestScopeRun(trx, integrationId)
    await recorded(trx)
  })
  const { moved } = await recomputeChargebacks(db, { integrationId }, { now: await readTime(db), source: 'operator' })
  return { moved }
}
