import { sql } from 'kysely'
import type { Source } from '../../domain/integration.ts'
import { rulesVersion } from '../chargebacks/terms.ts'
import type { Database } from '../core/connect.ts'

/**
 * Requests another evaluation of an integration's chargebacks under its current rules, in the transaction of the change
 * that requires it. The evaluation stays due until `finishScopeRun` records its end.
 * @returns the outbox message to dispatch after the commit
 */
export async function requestScopeRun(db: Database, integrationId: string): Promise<bigint | null> {
  const { rows } = await sql<{ outboxId: bigint }>`
    with asked as (
      update integration set scope_asked = scope_asked + 1 where integration_id = ${integrationId} returning integration_id
    )
    insert into outbox (kind, payload)
    select 'reevaluate_scope', jsonb_build_object('integrationId', integration_id::text) from asked
    returning outbox_id as "outboxId"`.execute(db)
  return rows[0]?.outboxId ?? null
}

/**
 * For statements that write decisions made under version `decided` of the rules (see `rulesVersion`): requests another
 * evaluation if the rules have changed since. Expects a CTE `written`.
 */
export const requestIfRulesChanged = (integrationId: string, decided: number) => sql`
  outdated as (
    update integration i set scope_asked = scope_asked + 1 from merchant m
    where i.integration_id = ${integrationId} and m.merchant_uuid = i.merchant_uuid
      and ${rulesVersion('i', 'm')} <> ${decided} and exists (select from written)
    returning i.integration_id
  ), asked as (
    insert into outbox (kind, payload)
    select 'reevaluate_scope', jsonb_build_object('integrationId', integration_id::text) from outdated
  )`

export interface ScopeRun {
  integrationId: string
  merchantUuid: string
  source: Source
  /** Number of requests so far; an evaluation that started with this number covers all of them. */
  asked: number
}

/** @returns null when no evaluation is due */
export async function dueScopeRun(db: Database, integrationId: string): Promise<ScopeRun | null> {
  const [run] = await undone(db, integrationId, 1)
  return run ?? null
}

/** Evaluations that were requested and not finished, whether or not their workflow run still exists. */
export async function undoneScopeRuns(db: Database, limit: number): Promise<ScopeRun[]> {
  return undone(db, null, limit)
}

async function undone(db: Database, integrationId: string | null, limit: number): Promise<ScopeRun[]> {
  let query = db
    .selectFrom('integration')
    .select(['integration_id', 'merchant_uuid', 'source', 'scope_asked'])
    .whereRef('scope_done', '<', 'scope_asked')
    .orderBy('integration_id')
    .limit(limit)
  if (integrationId) query = query.where('integration_id', '=', integrationId)
  const rows = await query.execute()
  return rows.map((row) => ({
    integrationId: row.integration_id,
    merchantUuid: row.merchant_uuid,
    source: row.source,
    asked: Number(row.scope_asked),
  }))
}

/** Marks all requests up to `asked` as done. */
export async function finishScopeRun(db: Database, run: { integrationId: string; asked: number }): Promise<void> {
  await sql`
    update integration set scope_done = greatest(scope_done, ${run.asked}::bigint)
    where integration_id = ${run.integrationId}`.execute(db)
}
