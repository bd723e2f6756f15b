import { sql } from 'kysely'
import type { Terms } from '../../domain/decision.ts'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import { rulesVersion, toTerms } from '../chargebacks/terms.ts'
import { anyRow } from '../core/any-row.ts'
import type { Database } from '../core/connect.ts'
import type { SealForm } from '../core/seal.ts'
import { EVENTS_OF_FIRST_LOADS, FIRST_LOADED_AT } from '../polling/first-load.ts'
import type { Lease } from '../polling/lease.ts'

/** An integration with everything that verification, polls and commands need, read in one statement. */
export interface Connection extends Terms {
  integrationId: string
  merchantUuid: string
  source: Source
  secretType: SecretType
  secretSealed: string
  /** Time of the connection, or of the last replacement of the secret. */
  secretSince: Date
  externalIdentifier: string
  merchantAccountCodes: string[]
  pspAccount: string | null
  /** The account that it acts on, confirmed by the PSP and held by no other integration; null before that. */
  claimedAccount: string | null
  status: IntegrationStatus
  paused: boolean
  authenticationFailures: number
  /** Error of the last poll, if it failed. */
  pollError: string | null
  cursor: { version: number; value: unknown } | null
  /** Grows with every change of scope rules, go-live date, deactivation dates and the account's settings. */
  rulesVersion: number
  /** A data subject was erased: PSP data must be filtered before it is read. */
  hasErased: boolean
  /** Removals of data subjects of the merchant. */
  erasures: bigint
  /** A page concerns nothing else: no transaction records, no erased person. */
  pagesStandAlone: boolean
  rawForm: SealForm
}

/** @returns null when there is no such integration */
export async function loadConnection(db: Database, integrationId: string): Promise<Connection | null> {
  const [connection] = await loadConnections(db, [integrationId])
  return connection ?? null
}

/** Those that exist, in any order, by one statement. */
export async function loadConnections(db: Database, integrationIds: readonly string[]): Promise<Connection[]> {
  const rows = await db
    .selectFrom('integration as i')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'i.merchant_uuid')
    .innerJoin('account as a', 'a.account_id', 'm.account_id')
    .leftJoin('scope_version as s', (join) =>
      join.onRef('s.integration_id', '=', 'i.integration_id').onRef('s.version', '=', 'i.scope_version'),
    )
    .selectAll('i')
    .select(['m.deactivation_type as merchant_type', 'm.deactivation_date as merchant_date', 'a.settings'])
    .select(['s.version', 's.rules', rulesVersion('i', 'm').as('rules_version')])
    .select(({ selectFrom }) => [
      selectFrom('deployment as d').select('d.compresses').as('compresses'),
      anyRow(sql`from erased_subject where merchant_uuid = i.merchant_uuid order by email`).as('has_erased'),
      anyRow(sql`from transaction_record where merchant_uuid = i.merchant_uuid order by transaction_id`).as('recorded'),
    ])
    .where('i.integration_id', 'in', integrationIds)
    .execute()
  return rows.map((row) => ({
    integrationId: row.integration_id,
    merchantUuid: row.merchant_uuid,
    source: row.source,
    secretType: row.secret_type as SecretType,
    secretSealed: row.secret_sealed,
    secretSince: row.secret_replaced_at ?? row.created_at,
    externalIdentifier: row.external_identifier,
    merchantAccountCodes: row.merchant_account_codes,
    pspAccount: row.psp_account,
    claimedAccount: row.claimed_account,
    status: row.status as IntegrationStatus,
    paused: row.paused,
    authenticationFailures: row.authentication_failures,
    pollError: row.poll_error,
    cursor: row.cursor_version === null ? null : { version: row.cursor_version, value: row.cursor },
    rulesVersion: row.rules_version,
    hasErased: row.has_erased,
    erasures: row.erasures,
    pagesStandAlone: !(row.has_erased || row.recorded),
    rawForm: row.compresses ? 'v2' : 'v1',
    ...toTerms(row),
  }))
}

/**
 * Records the result of a credential check. INACTIVE is final and stays.
 * @returns whether the status changed
 */
export async function recordVerdict(
  db: Database,
  integrationId: string,
  verdict: { status: 'SUCCESSFUL' | 'FAILED'; reason: string | null; pspAccount?: string | null; findings?: unknown[] },
): Promise<boolean> {
  const good = verdict.status === 'SUCCESSFUL'
  const { rows } = await sql<{ changed: boolean }>`
    with before as (select status from integration where integration_id = ${integrationId} for update),
    updated as (update integration i set
      status = ${verdict.status}, status_reason = ${verdict.reason}, checked_at = now(),
      status_changed_at = case when before.status = ${verdict.status} then i.status_changed_at else now() end,
      verified_at = case when ${good} then now() else i.verified_at end,
      authentication_failures = case when ${good} then 0 else i.authentication_failures end,
      psp_account = coalesce(${verdict.pspAccount ?? null}, i.psp_account),
      findings = coalesce(${verdict.findings ? JSON.stringify(verdict.findings) : null}::jsonb, i.findings)
    from before where i.integration_id = ${integrationId} and before.status <> 'INACTIVE'
    returning i.integration_id, i.merchant_uuid, before.status <> i.status as changed),
    events as (
      insert into event_line (merchant_uuid, type, subject)
      select merchant_uuid, ${good ? 'integration.verified' : 'integration.failed'}, integration_id from updated where changed)
    select changed from updated`.execute(db)
  return rows[0]?.changed ?? false
}

/** Records why a credential could not be checked (network, PSP outage), for operators. The status stays. */
export async function recordUnreachable(db: Database, integrationId: string, reason: string): Promise<void> {
  await db
    .updateTable('integration')
    .set({ status_reason: reason, checked_at: sql`now()` })
    .where('integration_id', '=', integrationId)
    .where('status', '=', 'PENDING')
    .execute()
}

/**
 * Records the end of a poll. An authentication failure increments the counter, a success resets it. The result of a
 * frozen attempt is ignored once another attempt has taken over.
 */
export async function recordPoll(
  db: Database,
  { integrationId, fence }: Lease,
  result: { ok: true } | { ok: false; reason: string; authentication: boolean },
): Promise<void> {
  if (!result.ok) {
    await sql`
      update integration set polled_at = now(), poll_error = ${result.reason},
        authentication_failures = authentication_failures + ${Number(result.authentication)}
      where integration_id = ${integrationId} and fence = ${fence}`.execute(db)
    return
  }
  await sql`
    with updated as (
      update integration i set polled_at = now(), last_successful_poll_at = now(), poll_error = null,
        authentication_failures = 0, first_loaded_at = ${FIRST_LOADED_AT}
      where integration_id = ${integrationId} and fence = ${fence}
      returning i.integration_id, i.merchant_uuid, i.first_loaded_at
    ) ${EVENTS_OF_FIRST_LOADS}`.execute(db)
}

export interface ScheduledIntegration {
  integrationId: string
  merchantUuid: string
  source: Source
  status: IntegrationStatus
  paused: boolean
  /** Author of the last pause or resumption. */
  pauseChangedBy: string | null
  pauseReason: string | null
  /** Polls stop on this date. */
  deactivationDate: Date | null
  /** Shards poll it, and no schedule does. */
  dispatched: boolean
  polledAt: Date | null
}

/** Desired state of the Temporal schedules: one for each integration that was ever verified and is not INACTIVE. */
export async function scheduledIntegrations(db: Database, only?: string): Promise<ScheduledIntegration[]> {
  let query = db
    .selectFrom('integration')
    .select(['integration_id', 'merchant_uuid', 'source', 'status', 'deactivation_date'])
    .select(['paused', 'pause_changed_by', 'pause_reason', 'next_poll_at', 'polled_at'])
    .where('verified_at', 'is not', null)
    .where('status', '<>', 'INACTIVE')
  if (only) query = query.where('integration_id', '=', only)
  const rows = await query.execute()
  return rows.map((row) => ({
    integrationId: row.integration_id,
    merchantUuid: row.merchant_uuid,
    source: row.source,
    status: row.status as IntegrationStatus,
    paused: row.paused,
    pauseChangedBy: row.pause_changed_by,
    pauseReason: row.pause_reason,
    deactivationDate: row.deactivation_date,
    dispatched: row.next_poll_at !== null,
    polledAt: row.polled_at,
  }))
}

/** Integrations without a recent poll, although nothing stops their polls. */
export async function quietIntegrations(db: Database, olderThanSeconds: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('integration')
    .select('integration_id')
    .where('status', '=', 'SUCCESSFUL')
    .where('paused', '=', false)
    .where((eb) =>
      eb(
        eb.fn.coalesce('polled_at', 'verified_at'),
        '<',
        sql<Date>`now() - make_interval(secs => ${olderThanSeconds})`,
      ),
    )
    .orderBy('polled_at')
    .limit(limit)
    .execute()
  return rows.map((row) => row.integration_id)
}

/**
 * Integrations whose verification may have been lost with Temporal, least recently checked first, because one that
 * stays FAILED would otherwise keep its place for ever.
 */
export async function unverifiedIntegrations(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ integrationId: string }>`
    update integration i set looked_at = now() from (
      select integration_id from integration where status in ('PENDING', 'FAILED')
      order by looked_at nulls first, created_at limit ${limit} for update skip locked
    ) next where i.integration_id = next.integration_id
    returning i.integration_id as "integrationId"`.execute(db)
  return rows.map((row) => row.integrationId)
}

/**
 * Age in seconds of the oldest last successful poll among the integrations that should poll: verified once, neither
 * paused nor deactivated. Includes those whose credential the PSP now refuses, because their disputes are not seen any
 * more. 0 when there is none.
 */
export async function oldestPollSeconds(db: Database): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select coalesce(max(extract(epoch from now() - coalesce(last_successful_poll_at, verified_at))), 0)::float8 as age
    from integration where verified_at is not null and status <> 'INACTIVE' and not paused`.execute(db)
  return rows[0]?.age ?? 0
}
