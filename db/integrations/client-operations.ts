import { sql } from 'kysely'
import { clientPause, isPausedByClient } from '../../domain/integration-problem.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { integrationNotFound, Refusal } from '../core/refusal.ts'
import { recordSetting } from '../settings/setting-events.ts'

/** What clients ask of their own integrations. Call each in a transaction. */

interface Which {
  merchantUuid: string
  integrationId: string
}

/** @throws Refusal integration_not_found, integration_inactive */
async function lockIntegration(trx: Database, { merchantUuid, integrationId }: Which) {
  const row = await trx
    .selectFrom('integration')
    .select(['status', 'verified_at', 'paused', 'pause_changed_by'])
    .where('merchant_uuid', '=', merchantUuid)
    .where('integration_id', '=', integrationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row) throw integrationNotFound()
  if (row.status === 'INACTIVE')
    throw new Refusal(
      'invalid',
      'integration_inactive',
      'The integration is INACTIVE, which is final: connect it anew.',
    )
  return row
}

/**
 * Requests one poll now, or a new check of a credential that is not accepted.
 * @returns the outbox message to dispatch after the commit
 * @throws Refusal integration_not_found, integration_inactive, integration_paused
 */
export async function requestPollByClient(
  trx: Database,
  which: Which,
): Promise<{ asked: 'poll' | 'verification'; outboxId: bigint }> {
  const { integrationId } = which
  const row = await lockIntegration(trx, which)
  if (row.paused)
    throw new Refusal('invalid', 'integration_paused', 'The polls of the integration are paused: resume them first.')
  const asked = row.verified_at !== null && row.status !== 'FAILED' ? 'poll' : 'verification'
  const kind = asked === 'poll' ? 'poll_now' : 'verify_integration'
  return { asked, outboxId: await enqueue(trx, { kind, payload: { integrationId } }) }
}

/**
 * Pauses the polls, or resumes them. The same again changes nothing.
 * @returns the outbox message to dispatch after the commit; null when nothing changed
 * @throws Refusal integration_not_found, integration_inactive, paused_by_operator
 */
export async function pauseByClient(
  trx: Database,
  which: Which,
  { paused, credentialId }: { paused: boolean; credentialId: string },
): Promise<{ outboxId: bigint | null }> {
  const { merchantUuid, integrationId } = which
  const row = await lockIntegration(trx, which)
  if (row.paused === paused) return { outboxId: null }
  if (!paused && !isPausedByClient(row.pause_changed_by))
    throw new Refusal(
      'invalid',
      'paused_by_operator',
      'The operator of the service paused the polls: only the operator resumes them. `problem` says why.',
    )
  await trx
    .updateTable('integration')
    .set({
      paused,
      pause_changed_at: sql<Date>`now()`,
      pause_changed_by: clientPause(credentialId),
      pause_reason: null,
    })
    .where('merchant_uuid', '=', merchantUuid)
    .where('integration_id', '=', integrationId)
    .execute()
  const what = paused ? 'polls paused' : 'polls resumed'
  await recordSetting(trx, { merchantUuid, credentialId, what, subject: integrationId })
  return { outboxId: await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } }) }
}
