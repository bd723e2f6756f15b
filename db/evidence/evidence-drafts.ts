import { v7 as uuidv7 } from 'uuid'
import type { FurtherAnswer, LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { AnswerStages } from '../../domain/evidence/answer-stages.ts'
import { type PlannedSubmission, type SubmissionRefusal, submissionRefusal } from '../../domain/evidence/submission.ts'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import { openCommand } from '../commands/commands.ts'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import type { JsonValue } from '../schema.ts'
import { requireFileLimit } from './file-quota.ts'
import { fileNotFound, holdFile } from './files.ts'

/** Result of a dry run: no text content, no personal data. */
export interface DraftResult extends Pick<PlannedSubmission, 'dropped' | 'shortened' | 'converted'> {
  refused: { code: string; reason: string } | null
  /** As the adapter describes them; null when the PSP could not be read. */
  requirements: unknown
  steps: { do: string; fileId?: string; field?: string }[]
  /** Names of the texts that would be sent. */
  texts: string[]
}

export interface DraftRequest {
  merchantUuid: string
  chargebackId: string
  fileId: string
  now: Date
  contestStages(source: Source, secretType: SecretType): AnswerStages
}

/**
 * Stores a dry run. It is kept for a day, so that support can look up what was responded.
 * @returns its id and source, and why the interface would refuse the submission now
 * @throws Refusal chargeback_not_found, file_not_found, too_many_files
 */
export function requestDraft(
  db: Database,
  request: DraftRequest,
): Promise<{ planId: string; source: string; refusal: { code: SubmissionRefusal; message: string } | null }> {
  return inTransaction(db, (trx) => draftIn(trx, request))
}

async function draftIn(db: Database, request: DraftRequest) {
  const { merchantUuid, chargebackId, fileId } = request
  const row = await db
    .selectFrom('chargeback as c')
    .innerJoin('integration as i', 'i.integration_id', 'c.integration_id')
    .select([
      'c.round',
      'c.psp_status',
      'c.further_answer',
      'c.lifecycle_stage',
      'c.due_date',
      'i.source',
      'i.secret_type',
      'i.status',
    ])
    .where('c.merchant_uuid', '=', merchantUuid)
    .where('c.id', '=', chargebackId)
    .executeTakeFirst()
  if (!row) throw chargebackNotFound()
  if (!(await holdFile(db, { merchantUuid, fileId }))) throw fileNotFound()
  await requireFileLimit(db, request)
  const refusal = submissionRefusal({
    pspStatus: row.psp_status as PspStatus,
    furtherAnswer: row.further_answer as FurtherAnswer | null,
    lifecycleStage: row.lifecycle_stage as LifecycleStage,
    dueDate: row.due_date,
    now: request.now,
    integrationStatus: row.status as IntegrationStatus,
    contestStages: request.contestStages(row.source, row.secret_type as SecretType),
    openCommand: await openCommand(db, chargebackId, row.round),
  })
  const planId = uuidv7()
  await db
    .insertInto('evidence_plan')
    .values({ plan_id: planId, merchant_uuid: merchantUuid, chargeback_id: chargebackId, file_id: fileId })
    .execute()
  return { planId, source: row.source, refusal }
}

/** Input of a dry run; null when it does not exist. */
export async function loadDraft(db: Database, planId: string) {
  const row = await db
    .selectFrom('evidence_plan as p')
    .innerJoin('chargeback as c', 'c.id', 'p.chargeback_id')
    .select(['p.merchant_uuid', 'p.file_id', 'p.answer', 'c.id', 'c.chargeback_id', 'c.round', 'c.integration_id'])
    .where('p.plan_id', '=', planId)
    .executeTakeFirst()
  return (
    row && {
      merchantUuid: row.merchant_uuid,
      fileId: row.file_id,
      chargebackId: row.id,
      /** The PSP's id. */
      reference: row.chargeback_id,
      round: row.round,
      integrationId: row.integration_id,
      answer: row.answer as DraftResult | null,
    }
  )
}

export async function storeDraft(db: Database, planId: string, answer: DraftResult): Promise<void> {
  await db
    .updateTable('evidence_plan')
    .set({ answer: answer as unknown as JsonValue })
    .where('plan_id', '=', planId)
    .execute()
}
