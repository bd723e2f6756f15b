import type { LifecycleStage, PspStatus } from '../domain/chargeback.ts'
import type { IntegrationStatus, SecretType, Source } from '../domain/integration.ts'
import { chargebackNotFound } from './chargebacks.ts'
import { openCommand } from './commands.ts'
import type { Database } from './connect.ts'

/**
 * What the preconditions of any command are about. The chargeback's row is locked: for all processes, the checks that
 * follow and the insert of the command are one step of the caller's transaction.
 * @throws Refusal chargeback_not_found
 */
export async function lockForCommand(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
) {
  const chargeback = await db
    .selectFrom('chargeback')
    .select(['round', 'psp_status', 'lifecycle_stage', 'due_date', 'integration_id'])
    .where('merchant_uuid', '=', merchantUuid)
    .where('id', '=', chargebackId)
    .forUpdate()
    .executeTakeFirst()
  if (!chargeback) throw chargebackNotFound()
  const integration = await db
    .selectFrom('integration')
    .select(['source', 'secret_type', 'status'])
    .where('integration_id', '=', chargeback.integration_id)
    .executeTakeFirstOrThrow()
  return {
    round: chargeback.round,
    source: integration.source as Source,
    secretType: integration.secret_type as SecretType,
    facts: {
      pspStatus: chargeback.psp_status as PspStatus,
      lifecycleStage: chargeback.lifecycle_stage as LifecycleStage,
      dueDate: chargeback.due_date,
      integrationStatus: integration.status as IntegrationStatus,
      openCommand: await openCommand(db, chargebackId, chargeback.round),
    },
  }
}
