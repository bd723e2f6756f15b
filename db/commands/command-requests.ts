import type { FurtherAnswer, LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { Dispute } from '../../domain/dispute.ts'
import type { IntegrationStatus, SecretType } from '../../domain/integration.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inScope } from '../core/scope.ts'
import { answeredElsewhere, openCommand } from './commands.ts'
import { lockDispute } from './dispute-lock.ts'

/**
 * Reads the inputs of every command's preconditions. Locks the dispute and the chargeback's row, so that the checks
 * that follow and the insert of the command are one step of the caller's transaction, across processes and
 * integrations.
 * @throws Refusal chargeback_not_found, answered_elsewhere, merged
 */
export async function lockForCommand(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
) {
  const own = await db
    .selectFrom('chargeback as c')
    .innerJoin('integration as i', 'i.integration_id', 'c.integration_id')
    .select(['i.source', 'c.chargeback_id as reference'])
    .where('c.merchant_uuid', '=', merchantUuid)
    .where('c.id', '=', chargebackId)
    .executeTakeFirst()
  if (!own) throw chargebackNotFound()
  await lockDispute(db, own)
  const chargeback = await db
    .selectFrom('chargeback')
    .select([
      'round',
      'psp_status',
      'further_answer',
      'lifecycle_stage',
      'due_date',
      'integration_id',
      'psp_account',
      'merged_into',
    ])
    .where('id', '=', chargebackId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  if (chargeback.merged_into)
    throw new Refusal('invalid', 'merged', `The chargeback was merged into ${chargeback.merged_into}: use that id.`)
  const integration = await db
    .selectFrom('integration')
    .select(['source', 'secret_type', 'status'])
    .where('integration_id', '=', chargeback.integration_id)
    .executeTakeFirstOrThrow()
  const { round } = chargeback
  const dispute: Dispute = { ...own, pspAccount: chargeback.psp_account }
  // The other connection may be another tenant's, so the error names nothing of it.
  if (await inScope('system', () => answeredElsewhere(db, { chargebackId, dispute, round })))
    throw new Refusal(
      'invalid',
      'answered_elsewhere',
      'The dispute is being answered through another connection to the same PSP account, or was: one answer is taken.',
    )
  return {
    round,
    dispute,
    source: integration.source,
    secretType: integration.secret_type as SecretType,
    facts: {
      pspStatus: chargeback.psp_status as PspStatus,
      furtherAnswer: chargeback.further_answer as FurtherAnswer | null,
      lifecycleStage: chargeback.lifecycle_stage as LifecycleStage,
      dueDate: chargeback.due_date,
      integrationStatus: integration.status as IntegrationStatus,
      openCommand: await openCommand(db, chargebackId, round),
    },
  }
}
