import { v7 as uuidv7 } from 'uuid'
import { type AlertOutcome, type AlertReport, compareReports, type RefundState } from '../../domain/alert.ts'
import type { AlertProvider } from '../../domain/chargeback.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { personHashes } from '../erasure/persons.ts'
import { addEvent } from '../events/lines.ts'
import { alertNotFound } from './alerts.ts'

export interface OutcomeReport extends AlertReport {
  merchantUuid: string
  credentialId: string
  alertId: string
  providerName: AlertProvider
}

/**
 * Records the outcome of an alert, with a timeline row when the alert is also a chargeback. The same report again
 * returns the same outcome; a new one replaces an interim outcome. An alert whose source named no provider takes the
 * provider of its first report.
 * @returns the id of the outcome
 * @throws Refusal alert_not_found; invalid alert_provider_mismatch, alert_outcome_final
 */
export function recordAlertOutcome(db: Database, ring: KeyRing, report: OutcomeReport): Promise<{ id: string }> {
  const { merchantUuid, providerName } = report
  return inTransaction(db, async (trx) => {
    // The row lock makes comparison and insert one step across processes.
    const alert = await trx
      .selectFrom('alert')
      .select(['alert_id', 'provider_name', 'chargeback_id'])
      .where('merchant_uuid', '=', merchantUuid)
      .where('alert_id', '=', report.alertId)
      .forUpdate()
      .executeTakeFirst()
    if (!alert) throw alertNotFound()
    // Use the stored spelling of the id: it is part of the context that the comments are sealed with.
    const alertId = alert.alert_id
    if (alert.provider_name !== null && alert.provider_name !== providerName)
      throw new Refusal(
        'invalid',
        'alert_provider_mismatch',
        `providerName: the alert was raised by ${alert.provider_name}.`,
      )
    const inForce = await newestOutcome(trx, ring, alertId)
    const relation = compareReports(inForce, report)
    if (relation === 'same' && inForce) return { id: inForce.id }
    if (relation === 'conflict')
      throw new Refusal(
        'invalid',
        'alert_outcome_final',
        'Another outcome of this alert was recorded, and it is final.',
      )

    const id = uuidv7()
    const { refunded, outcome, comments } = report
    await trx
      .insertInto('alert_outcome')
      .values({
        alert_outcome_id: id,
        alert_id: alertId,
        refunded,
        outcome,
        comments_sealed: comments === null ? null : seal(ring, comments, sealContext.alertComments(alertId)),
        persons: comments === null ? [] : personHashes(ring, comments),
        credential_id: report.credentialId,
      })
      .execute()
    if (alert.provider_name === null)
      await trx.updateTable('alert').set({ provider_name: providerName }).where('alert_id', '=', alertId).execute()
    await addEvent(trx, { merchantUuid, type: 'alert.outcome_recorded', subject: alertId })
    if (alert.chargeback_id !== null)
      await trx
        .insertInto('timeline_event')
        .values({
          merchant_uuid: merchantUuid,
          chargeback_id: alert.chargeback_id,
          source: 'api',
          what: 'alert outcome recorded',
          before: inForce && JSON.stringify(words(inForce)),
          after: JSON.stringify(words(report)),
        })
        .execute()
    return { id }
  })
}

const words = ({ refunded, outcome }: AlertReport) => ({ ...(refunded && { refunded }), ...(outcome && { outcome }) })

async function newestOutcome(
  db: Database,
  ring: KeyRing,
  alertId: string,
): Promise<(AlertReport & { id: string }) | null> {
  const row = await db
    .selectFrom('alert_outcome')
    .select(['alert_outcome_id', 'refunded', 'outcome', 'comments_sealed'])
    .where('alert_id', '=', alertId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return null
  const sealed = row.comments_sealed
  return {
    id: row.alert_outcome_id,
    refunded: row.refunded as RefundState | null,
    outcome: row.outcome as AlertOutcome | null,
    comments: sealed === null ? null : open(ring, sealed, sealContext.alertComments(alertId)),
  }
}
