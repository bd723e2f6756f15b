import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AlertFacts } from '../../domain/alert.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import type { KeyRing } from '../core/seal.ts'
import { open, sealContext } from '../core/seal.ts'

/** Pre-chargeback alerts: storage, and reads for clients. */

/** Columns that a later report may fill; a missing value leaves the stored one. */
const FACTS = [
  'chargeback_id',
  'provider_name',
  'alert_date',
  'transaction_id',
  'arn',
  'external_transaction_identifier',
  'reason_code',
  'reason',
  'fraud_type',
  'card_scheme',
  'payment_method',
  'bin',
  'card_last_four_digits',
] as const
const MONEY = ['currency', 'amount_minor', 'amount_exponent'] as const
const updates = sql.raw(
  [
    ...FACTS.map((name) => `${name} = coalesce(excluded.${name}, a.${name})`),
    // Amount and currency belong together: all three columns are replaced, or none.
    ...MONEY.map((name) => `${name} = case when excluded.currency is null then a.${name} else excluded.${name} end`),
  ].join(', '),
)
const columns = sql.raw([...MONEY, ...FACTS].join(', '))

/**
 * Stores an alert that is not a chargeback, once per integration and reference.
 * @returns Recoup's id of the alert
 */
export async function storeAlert(
  db: Database,
  { merchantUuid, integrationId }: { merchantUuid: string; integrationId: string },
  facts: AlertFacts,
): Promise<string> {
  const { money } = facts
  const { rows } = await sql<{ alertId: string }>`
    with stored as (insert into alert as a (alert_id, merchant_uuid, integration_id, reference, psp, ${columns})
    values (${uuidv7()}, ${merchantUuid}, ${integrationId}, ${facts.reference}, ${facts.psp},
      ${money?.currency ?? null}, ${money?.amountMinor ?? null}, ${money?.amountExponent ?? null},
      (select id from chargeback where integration_id = ${integrationId} and chargeback_id = ${facts.reference}),
      ${facts.providerName}, ${facts.alertDate}, ${facts.transactionId}, ${facts.arn},
      ${facts.externalTransactionIdentifier}, ${facts.reasonCode}, ${facts.reason}, ${facts.fraudType},
      ${facts.cardScheme}, ${facts.paymentMethod}, ${facts.bin}, ${facts.cardLastFourDigits})
    on conflict (integration_id, reference) do update set ${updates}, updated_at = now()
    returning alert_id, merchant_uuid, (xmax = 0) as created), ${eventsOfAlerts('stored')}
    select alert_id as "alertId" from stored`.execute(db)
  return rows[0]?.alertId as string
}

/**
 * Part of the statement with the CTE `written`: stores chargebacks of the stage `alert` as alerts too. `providerName`
 * is not a column of a chargeback; null when the PSP names no provider.
 */
export function alertsOfWritten(chargebacks: readonly { chargebackId: string; providerName: string | null }[]) {
  const named = chargebacks.filter((one) => one.providerName).map((one) => [one.chargebackId, one.providerName])
  return sql`alerted as (
      insert into alert as a (alert_id, merchant_uuid, integration_id, reference, psp, ${columns})
      select gen_random_uuid(), w.merchant_uuid, w.integration_id, w.chargeback_id, w.psp, w.currency, w.amount_minor,
        w.amount_exponent, w.id, ${JSON.stringify(Object.fromEntries(named))}::json ->> w.chargeback_id, w.posting_date,
        w.transaction_id, w.arn, w.external_transaction_identifier, w.reason_code, w.reason, null, w.card_scheme,
        w.payment_method, w.bin, w.card_last_four_digits
      from written w where w.lifecycle_stage = 'alert'
      on conflict (integration_id, reference) do update set ${updates}, updated_at = now()
      returning alert_id, merchant_uuid, (xmax = 0) as created), ${eventsOfAlerts('alerted')}`
}

/** Part of a statement: the events of the alerts that the CTE stored for the first time. */
const eventsOfAlerts = (stored: string) => sql`alert_events as (
      insert into event_line (merchant_uuid, type, subject)
      select merchant_uuid, 'alert.created', alert_id from ${sql.table(stored)} where created)`

export type AlertRecord = Awaited<ReturnType<typeof readAlert>>

const alerts = (db: Database, merchantUuid: string) =>
  db
    .selectFrom('alert as a')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'a.merchant_uuid')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('alert_outcome')
          .select(['refunded', 'outcome', 'comments_sealed', 'created_at as reported_at'])
          .whereRef('alert_outcome.alert_id', '=', 'a.alert_id')
          .orderBy('position', 'desc')
          .limit(1)
          .as('o'),
      (join) => join.onTrue(),
    )
    .selectAll('a')
    .select(['m.reference_id', 'o.refunded', 'o.outcome', 'o.comments_sealed', 'o.reported_at'])
    .where('a.merchant_uuid', '=', merchantUuid)

/** Newest first; returns `limit` + 1 rows when there are more. */
export async function listAlerts(
  db: Database,
  ring: KeyRing,
  { merchantUuid, limit, page }: { merchantUuid: string; limit: number; page: number },
) {
  const rows = await alerts(db, merchantUuid)
    .orderBy('a.created_at', 'desc')
    .orderBy('a.alert_id', 'desc')
    .limit(limit + 1)
    .offset(sql<number>`${BigInt(page - 1) * BigInt(limit)}`)
    .execute()
  return rows.map((row) => unsealed(ring, row))
}

/** @throws Refusal alert_not_found, also for an alert of another merchant */
export async function readAlert(
  db: Database,
  ring: KeyRing,
  { merchantUuid, alertId }: { merchantUuid: string; alertId: string },
) {
  const row = await alerts(db, merchantUuid).where('a.alert_id', '=', alertId).executeTakeFirst()
  if (!row) throw alertNotFound()
  return unsealed(ring, row)
}

/** Those of the alerts that the merchant has, without the comments of their outcomes. */
export async function readAlerts(
  db: Database,
  { merchantUuid, alertIds }: { merchantUuid: string; alertIds: readonly string[] },
): Promise<AlertRecord[]> {
  const rows = await alerts(db, merchantUuid).where('a.alert_id', 'in', alertIds).execute()
  return rows.map(({ comments_sealed: _, ...row }) => ({ ...row, comments: null }))
}

function unsealed<Row extends { alert_id: string; comments_sealed: string | null }>(ring: KeyRing, row: Row) {
  const { comments_sealed: sealed, ...rest } = row
  return { ...rest, comments: sealed === null ? null : open(ring, sealed, sealContext.alertComments(row.alert_id)) }
}

export const alertNotFound = () => new Refusal('missing', 'alert_not_found', 'There is no alert with this id.')
