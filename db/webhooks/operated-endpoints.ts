import { sql } from 'kysely'
import { FAILING_AFTER } from '../../domain/webhooks/retries.ts'
import type { Database } from '../core/connect.ts'
import { endpointNotFound } from './endpoints.ts'

/** A webhook endpoint, for operators: without the path of its address, which may hold a secret of the client. */
export interface OperatedEndpoint {
  endpointId: string
  accountId: string
  /** Null: all merchants of the account. */
  merchantUuid: string | null
  host: string
  state: string
  disabledReason: string | null
  events: string[]
  pending: number
  failures: number
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** HTTP status, or why there was no response. */
  lastFailure: string | null
  dueAt: Date | null
}

export interface EndpointChangeRecord {
  at: Date
  actor: string
  what: string
  details: unknown
}

/** Oldest first; of all accounts unless one thing is named. */
export async function operatedEndpoints(
  db: Database,
  {
    endpointId = null,
    accountId = null,
    state = null,
  }: Partial<Record<'endpointId' | 'accountId' | 'state', string | null>>,
): Promise<OperatedEndpoint[]> {
  const { rows } = await sql<OperatedEndpoint>`
    select * from (
      select w.endpoint_id as "endpointId", w.account_id as "accountId", w.merchant_uuid as "merchantUuid",
        split_part(split_part(w.url, '//', 2), '/', 1) as host, case when w.disabled_at is not null then 'disabled'
          when w.failures >= ${sql.lit(FAILING_AFTER)} then 'failing' else 'enabled' end as state,
        w.disabled_reason as "disabledReason", w.events, w.failures, w.last_success_at as "lastSuccessAt",
        w.last_failure_at as "lastFailureAt", coalesce(w.last_failure_status::text, w.last_failure_kind) as "lastFailure",
        w.due_at as "dueAt", (select count(*)::int from webhook_delivery d
          where d.endpoint_id = w.endpoint_id and d.state = 'pending') as pending
      from webhook_endpoint w where w.deleted_at is null
        and (${endpointId}::uuid is null or w.endpoint_id = ${endpointId}::uuid)
        and (${accountId}::uuid is null or w.account_id = ${accountId}::uuid)
    ) o where ${state}::text is null or state = ${state} order by "endpointId"`.execute(db)
  return rows
}

/** @throws Refusal webhook_endpoint_not_found */
export async function operatedEndpoint(db: Database, endpointId: string): Promise<OperatedEndpoint> {
  const [found] = await operatedEndpoints(db, { endpointId })
  if (!found) throw endpointNotFound()
  return found
}

/** Who changed what, oldest first. */
export async function endpointTrail(db: Database, endpointId: string): Promise<EndpointChangeRecord[]> {
  const { rows } = await sql<EndpointChangeRecord>`
    select at, actor, what, details from webhook_endpoint_event where endpoint_id = ${endpointId} order by position`.execute(
    db,
  )
  return rows
}
