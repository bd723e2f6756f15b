import { sql } from 'kysely'
import { FAILING_AFTER } from '../../domain/webhooks/retries.ts'
import type { Database } from '../core/connect.ts'
import type { Figure } from '../core/gauges.ts'

/** Deliveries of all endpoints that wait. Reads the index of pending ones. */
export async function countPending(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::float8 as count from webhook_delivery where state = 'pending'`.execute(db)
  return rows[0]?.count ?? 0
}

/** Seconds that the endpoint that has waited longest for a worker has been due; 0 when none waits. */
export async function longestWait(db: Database): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds from webhook_endpoint
    where due_at <= now() and (lease_until is null or lease_until <= now()) and deleted_at is null`.execute(db)
  return rows[0]?.seconds ?? 0
}

/** Endpoints of all merchants by state. */
export async function countEndpoints(db: Database): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    select case when disabled_at is not null then 'disabled'
        when failures >= ${sql.lit(FAILING_AFTER)} then 'failing' else 'enabled' end as of, count(*)::float8 as value
    from webhook_endpoint where deleted_at is null group by 1`.execute(db)
  return rows
}
