import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import type { JsonValue } from '../schema.ts'

/** Some references; `count` is the number of all. */
export interface Named {
  count: number
  references: string[]
}

/** Disputes that only the PSP has or only Recoup has. Ids and counts only. */
export interface DriftReport {
  source: string
  comparedAt: string
  /** Number of disputes in the PSP's list, and of chargebacks that the list should contain. */
  atPsp: number
  here: number
  missingHere: Named
  missingAtPsp: Named
  /** Known on both sides, but status, stage or amount differ. */
  differing: Named
  /** Received, but could not be translated. */
  quarantined: Named
  /** Not in the list, and too many to be read one by one. */
  unconfirmed: number
}

export interface StoredDrift {
  askedAt: Date
  completedAt: Date | null
  error: string | null
  report: DriftReport | null
}

/** Requests a comparison by a worker. @throws Refusal integration_not_found, integration_inactive */
export async function requestDriftReport(db: Database, integrationId: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('integration')
      .select('status')
      .where('integration_id', '=', integrationId)
      .executeTakeFirst()
    if (!row) throw new Refusal('missing', 'integration_not_found', `There is no integration ${integrationId}.`)
    if (row.status === 'INACTIVE')
      throw new Refusal('invalid', 'integration_inactive', 'The integration is INACTIVE, which is final.')
    await sql`
      insert into drift_report (integration_id) values (${integrationId})
      on conflict (integration_id) do update set asked_at = now(), completed_at = null, error = null`.execute(trx)
    await enqueue(trx, { kind: 'report_drift', payload: { integrationId } })
  })
}

export async function readDrift(db: Database, integrationId: string): Promise<StoredDrift | null> {
  const row = await db
    .selectFrom('drift_report')
    .select(['asked_at', 'completed_at', 'error', 'report'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
  if (!row) return null
  return {
    askedAt: row.asked_at,
    completedAt: row.completed_at,
    error: row.error,
    report: row.report as DriftReport | null,
  }
}

/** Stores the result of a drift report, or why it failed. */
export async function recordDrift(
  db: Database,
  integrationId: string,
  result: { report: DriftReport } | { error: string },
): Promise<void> {
  await db
    .updateTable('drift_report')
    .set({
      completed_at: sql`now()`,
      ...('report' in result
        ? { report: result.report as unknown as JsonValue, error: null }
        : { error: result.error }),
    })
    .where('integration_id', '=', integrationId)
    .execute()
}

export interface Counterpart {
  reference: string
  known: boolean
  quarantined: boolean
  pspStatus: string | null
  lifecycleStage: string | null
  amountMinor: bigint | null
}

/** Stored counterparts of the disputes that the PSP showed, in their order. */
export async function counterparts(db: Database, integrationId: string, references: string[]): Promise<Counterpart[]> {
  const { rows } = await sql<Counterpart>`
    select seen.reference, c.id is not null as known, q.reference is not null as quarantined,
      c.psp_status as "pspStatus", c.lifecycle_stage as "lifecycleStage", c.amount_minor as "amountMinor"
    from unnest(${references}::text[]) with ordinality as seen(reference, n)
    left join lateral (
      select id, psp_status, lifecycle_stage, amount_minor from chargeback k
      where k.integration_id = ${integrationId} and k.chargeback_id = seen.reference limit 1
    ) c on true
    left join lateral (
      select reference from quarantine k
      where k.integration_id = ${integrationId} and k.reference = seen.reference limit 1
    ) q on true
    order by seen.n`.execute(db)
  return rows
}

/** References of chargebacks posted since a date, in order, after `after`. */
export async function referencesAfter(
  db: Database,
  integrationId: string,
  after: string,
  since: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('chargeback')
    .select('chargeback_id')
    .where('integration_id', '=', integrationId)
    .where('chargeback_id', '>', after)
    .where((eb) => eb.or([eb('posting_date', '>=', since), eb('posting_date', 'is', null)]))
    .orderBy('chargeback_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.chargeback_id)
}
