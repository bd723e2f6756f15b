import { sql } from 'kysely'
import type { Deactivation } from '../../domain/handling.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { addEvent } from '../events/lines.ts'

/** The subject of a deactivation: a merchant, or one of its integrations. */
export interface Deactivated {
  kind: 'merchant' | 'integration'
  id: string
}

export interface DeactivationOrder {
  merchantUuid: string
  deactivation: Deactivation
  credentialId: string
  now: Date
}

/**
 * From the date on, chargebacks posted (or due) on or after it are not handled. A repeated request moves the date until
 * it has passed; then it is final.
 * @returns the outbox message to dispatch after the commit
 * @throws Refusal merchant_not_found, deactivation_final
 */
export function deactivateMerchant(db: Database, order: DeactivationOrder): Promise<{ outboxId: bigint }> {
  const { merchantUuid } = order
  return inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('merchant')
      .select('deactivation_date')
      .where('merchant_uuid', '=', merchantUuid)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new Refusal('missing', 'merchant_not_found', 'There is no merchant with this id.')
    if (row.deactivation_date && row.deactivation_date <= order.now) throw final('merchant')
    await trx.updateTable('merchant').set(asked(order)).where('merchant_uuid', '=', merchantUuid).execute()
    return { outboxId: await enqueue(trx, { kind: 'deactivate', payload: { kind: 'merchant', id: merchantUuid } }) }
  })
}

/**
 * The same for one integration, which also becomes INACTIVE on the date: polls stop, and its identifier can be used
 * again.
 * @returns the outbox message to dispatch after the commit
 * @throws Refusal integration_not_found (also for an integration of another merchant), deactivation_final
 */
export function deactivateIntegration(
  db: Database,
  order: DeactivationOrder & { integrationId: string },
): Promise<{ outboxId: bigint }> {
  const { merchantUuid, integrationId, deactivation, now } = order
  return inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('integration')
      .select(['status', 'deactivation_date'])
      .where('merchant_uuid', '=', merchantUuid)
      .where('integration_id', '=', integrationId)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new Refusal('missing', 'integration_not_found', 'There is no integration with this id.')
    if (row.status === 'INACTIVE' || (row.deactivation_date && row.deactivation_date <= now)) throw final('integration')
    await trx
      .updateTable('integration')
      .set({ ...asked(order), ...(deactivation.date <= now && INACTIVE) })
      .where('integration_id', '=', integrationId)
      .execute()
    if (deactivation.date <= now)
      await addEvent(trx, { merchantUuid, type: 'integration.deactivated', subject: integrationId })
    // Its schedule ends on the date by itself, or now.
    await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } })
    return { outboxId: await enqueue(trx, { kind: 'deactivate', payload: { kind: 'integration', id: integrationId } }) }
  })
}

const final = (what: string) =>
  new Refusal('invalid', 'deactivation_final', `The ${what} is deactivated since a date that has come: that is final.`)

const asked = ({ deactivation, credentialId, now }: DeactivationOrder) => ({
  deactivation_type: deactivation.type,
  deactivation_date: deactivation.date,
  deactivation_revision: sql<number>`deactivation_revision + 1`,
  deactivation_asked_at: now,
  deactivation_credential_id: credentialId,
})

const INACTIVE = {
  status: 'INACTIVE',
  status_reason: 'It was deactivated.',
  status_changed_at: sql<Date>`now()`,
} as const

/** State of a deactivation: the last requested date, and whether its consequences are complete. */
export interface DeactivationPlan {
  merchantUuid: string
  date: Date
  /** Grows with each move of the date. */
  revision: number
  /** The database's time if the date has passed, else null. */
  reachedAt: Date | null
  done: boolean
}

/** @returns null when no deactivation was requested */
export async function readDeactivationPlan(db: Database, { kind, id }: Deactivated): Promise<DeactivationPlan | null> {
  const { rows } = await sql<DeactivationPlan>`
    select merchant_uuid as "merchantUuid", deactivation_date as date, deactivation_revision as revision,
      case when deactivation_date <= now() then now() end as "reachedAt", deactivated_at is not null as done
    from ${sql.table(kind)} where ${sql.ref(KEYS[kind])} = ${id} and deactivation_date is not null`.execute(db)
  return rows[0] ?? null
}

const KEYS = { merchant: 'merchant_uuid', integration: 'integration_id' } as const

/**
 * The date has passed: the integration becomes INACTIVE and its polls stop. A merchant needs no write, because its
 * status derives from the date. Does nothing when the date was moved to the future meanwhile.
 */
export function beginDeactivation(db: Database, which: Deactivated): Promise<DeactivationPlan | null> {
  return inTransaction(db, async (trx) => {
    const integrationId = which.kind === 'integration' ? which.id : null
    const changed = await trx
      .updateTable('integration')
      .set(INACTIVE)
      .where('integration_id', '=', integrationId)
      .where('deactivation_date', '<=', sql<Date>`now()`)
      .where('status', '<>', 'INACTIVE')
      .returning(['integration_id', 'merchant_uuid'])
      .execute()
    for (const row of changed) {
      const { integration_id: subject, merchant_uuid: merchantUuid } = row
      await addEvent(trx, { merchantUuid, type: 'integration.deactivated', subject })
      await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId: subject } })
    }
    return readDeactivationPlan(trx, which)
  })
}

/** The integrations of a deactivation, after `from`, in the order of their ids. */
export async function deactivatedIntegrations(
  db: Database,
  { kind, id }: Deactivated,
  from: string | null,
): Promise<string[]> {
  let query = db.selectFrom('integration').select('integration_id').where(KEYS[kind], '=', id).orderBy('integration_id')
  if (from) query = query.where('integration_id', '>=', from)
  return (await query.execute()).map((row) => row.integration_id)
}

/** Records that all consequences of the date are complete. */
export async function finishDeactivation(db: Database, { kind, id }: Deactivated): Promise<void> {
  const done = sql`update ${sql.table(kind)} set deactivated_at = now()
    where ${sql.ref(KEYS[kind])} = ${id} and deactivation_date <= now() and deactivated_at is null`
  if (kind === 'integration') await done.execute(db)
  else
    await sql`
      with done as (${done} returning merchant_uuid)
      insert into event_line (merchant_uuid, type, subject)
      select merchant_uuid, 'merchant.deactivated', merchant_uuid from done`.execute(db)
}
