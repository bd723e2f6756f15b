import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import type { Deactivated } from './deactivations.ts'

/**
 * Seconds between two checks of a deactivation's workflow run: `reached` for a date in the past, `waiting` for one in
 * the future.
 */
const CHECK_SECONDS = { reached: 10, waiting: 30 } as const

/** Unfinished deactivations that are due for a check, longest waiting first. The call counts as the check. */
export async function unfinishedDeactivations(db: Database, limit: number): Promise<Deactivated[]> {
  const due = sql`deactivation_date is not null and deactivated_at is null
    and coalesce(deactivation_checked_at, deactivation_asked_at) <= now() - make_interval(secs =>
      case when deactivation_date <= now() then ${CHECK_SECONDS.reached}::int else ${CHECK_SECONDS.waiting}::int end)`
  const { rows } = await sql<Deactivated>`
    with due as (
      (select 'merchant' as kind, merchant_uuid as id, coalesce(deactivation_checked_at, deactivation_asked_at) as looked
        from merchant where ${due} order by looked limit ${limit})
      union all
      (select 'integration', integration_id, coalesce(deactivation_checked_at, deactivation_asked_at) as looked
        from integration where ${due} order by looked limit ${limit})
      order by looked limit ${limit}
    ), merchants as (
      update merchant set deactivation_checked_at = now() from due where kind = 'merchant' and merchant_uuid = id
    ), integrations as (
      update integration set deactivation_checked_at = now() from due where kind = 'integration' and integration_id = id
    )
    select kind, id from due`.execute(db)
  return rows
}

/** INACTIVE is final, so its secret is only a risk. It is kept while a command still needs the PSP. */
export interface NeedlessSecret {
  integrationId: string
  merchantUuid: string
  source: string
}

export async function needlessSecrets(db: Database, limit: number): Promise<NeedlessSecret[]> {
  const { rows } = await sql<NeedlessSecret>`
    select integration_id as "integrationId", merchant_uuid as "merchantUuid", source from integration i
    where status = 'INACTIVE' and secret_erased_at is null and deactivated_at is not null and not exists (
      select from command k join chargeback c on c.id = k.chargeback_id
      where c.integration_id = i.integration_id and k.status in ('created', 'inProgress'))
    order by deactivated_at limit ${limit}`.execute(db)
  return rows
}

/** Replaces the secret by `sealed`, an empty payload. */
export async function eraseSecret(db: Database, integrationId: string, sealed: string): Promise<void> {
  await sql`
    update integration set secret_sealed = ${sealed}, secret_erased_at = now()
    where integration_id = ${integrationId} and status = 'INACTIVE'`.execute(db)
}
