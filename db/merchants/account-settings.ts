import { sql } from 'kysely'
import { allowedDataPoints, DECIDING_SETTINGS } from '../../domain/accounts/account-settings.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { requirePossiblePolicies } from '../packages/policies.ts'

/** The account's own settings, as stored. @throws Refusal account_not_found */
export async function readSettings(db: Database, accountId: string): Promise<Record<string, unknown>> {
  const row = await db.selectFrom('account').select('settings').where('account_id', '=', accountId).executeTakeFirst()
  if (!row) throw new Refusal('missing', 'account_not_found', `There is no account ${accountId}.`)
  return row.settings as Record<string, unknown>
}

/**
 * Changes some settings; null restores a default. A workflow run per integration decides open chargebacks again.
 * Decisions in progress under the former settings request another run.
 * @throws Refusal account_not_found, policy_impossible
 */
export function changeSettings(db: Database, accountId: string, changes: Record<string, unknown>): Promise<void> {
  return inTransaction(db, async (trx) => {
    await readSettings(trx, accountId)
    const taken = Object.keys(changes).filter((name) => changes[name] === null)
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null))
    await sql`
      update account set settings = (settings - ${taken}::text[]) || ${JSON.stringify(given)}::jsonb
      where account_id = ${accountId}`.execute(trx)
    if ('automaticSubmission' in changes || 'dataWindowHours' in changes) await requirePossiblePolicies(trx, accountId)
    if (!Object.keys(changes).some((name) => DECIDING_SETTINGS.includes(name))) return
    await sql`
      with held as materialized (
        select i.integration_id from merchant m join integration i on i.merchant_uuid = m.merchant_uuid
        where m.account_id = ${accountId} and i.status <> 'INACTIVE' order by i.integration_id for no key update of i
      ), asked as (
        update integration i set scope_asked = scope_asked + 1, go_live_revision = go_live_revision + 1
        from held where i.integration_id = held.integration_id returning i.integration_id
      )
      insert into outbox (kind, payload)
      select 'reevaluate_scope', jsonb_build_object('integrationId', integration_id::text) from asked`.execute(trx)
  })
}

/** Data point names that clients may set; null when they may set any. @throws Refusal account_not_found */
export async function readDataPointList(db: Database, accountId: string): Promise<string[] | null> {
  return allowedDataPoints(await readSettings(db, accountId))
}

/** Restricts the names; stored data points stay. @throws Refusal account_not_found */
export async function setDataPointList(db: Database, accountId: string, names: string[] | null): Promise<void> {
  await readSettings(db, accountId)
  await sql`
    update account set settings = settings - 'dataPoints' ||
      case when ${names}::text[] is null then '{}' else jsonb_build_object('dataPoints', ${names}::text[]) end
    where account_id = ${accountId}`.execute(db)
}
