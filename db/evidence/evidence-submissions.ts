import { sql } from 'kysely'
import type { AnswerStages } from '../../domain/evidence/answer-stages.ts'
import { submissionRefusal } from '../../domain/evidence/submission.ts'
import { isUuid } from '../../domain/ids.ts'
import type { SecretType, Source } from '../../domain/integration.ts'
import { lockForCommand } from '../commands/command-requests.ts'
import { createCommand } from '../commands/commands.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { inTransaction } from '../core/transaction.ts'
import { freezePackage, packageOfFile } from '../packages/freezing.ts'
import { requireFileLimit } from './file-quota.ts'
import { fileNotFound, holdFile } from './files.ts'

export interface SubmissionRequest {
  merchantUuid: string
  chargebackId: string
  fileId: string
  /** Null: Recoup submits its own package. */
  credentialId: string | null
  now: Date
  /** Called with the chargeback locked, before anything is started; what it throws prevents that. */
  unchanged?: ((locked: Database) => Promise<void>) | undefined
  contestStages(source: Source, secretType: SecretType): AnswerStages
}

/**
 * Requests the submission of a file as evidence: command, timeline row and outbox row in one transaction. The same file
 * again while its submission is open or has succeeded returns that submission; after a failed one a new one starts. The
 * file of a package freezes the package.
 * @returns its id, and the outbox message to dispatch after the commit; null when nothing was started
 * @throws Refusal chargeback_not_found, file_not_found, or invalid with the code of the unmet precondition
 */
export function requestSubmission(
  db: Database,
  request: SubmissionRequest,
): Promise<{ submitEvidenceId: string; outboxId: bigint | null }> {
  const { merchantUuid, fileId } = request
  return inTransaction(db, async (trx) => {
    const { round, dispute, source, secretType, facts } = await lockForCommand(trx, request)
    const earlier = isUuid(fileId) && (await submissionOf(trx, request, facts.furtherAnswer ? null : round))
    if (earlier) return { submitEvidenceId: earlier, outboxId: null }
    await request.unchanged?.(trx)
    const built = await packageOfFile(trx, request)
    if (!built && !(await holdFile(trx, { merchantUuid, fileId }))) throw fileNotFound()
    const refusal = submissionRefusal({
      ...facts,
      now: request.now,
      contestStages: request.contestStages(source, secretType),
    })
    if (refusal) throw new Refusal('invalid', refusal.code, refusal.message)
    if (built) await freezePackage(trx, built, request)
    else await requireFileLimit(trx, request)

    const submitEvidenceId = await createCommand(trx, {
      ...request,
      kind: 'evidence_submission',
      dispute,
      round: facts.openCommand ? await startRound(trx, request.chargebackId) : round,
      about: { fileId, ...(built && { packageId: built.packageId }) },
    })
    await trx.insertInto('evidence_submission').values({ command_id: submitEvidenceId, file_id: fileId }).execute()
    const outboxId = await enqueue(trx, { kind: 'submit_evidence', payload: { submitEvidenceId } })
    return { submitEvidenceId, outboxId }
  })
}

/** This file's submission that has not failed: of the given round, or of any. */
async function submissionOf(
  db: Database,
  { chargebackId, fileId }: { chargebackId: string; fileId: string },
  round: number | null,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('command as k')
    .innerJoin('evidence_submission as e', 'e.command_id', 'k.command_id')
    .select('k.command_id')
    .where('k.chargeback_id', '=', chargebackId)
    .where('k.status', '<>', 'failed')
    .where('e.file_id', '=', fileId)
    .$if(round !== null, (query) => query.where('k.round', '=', round))
    .orderBy('k.round', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.command_id
}

/**
 * Starts a new round, because a further submission after a sent one is a separate effect at the PSP. The row is locked.
 */
async function startRound(db: Database, chargebackId: string): Promise<number> {
  const { round } = await db
    .updateTable('chargeback')
    .set((eb) => ({ round: eb('round', '+', 1), version: sql`version + 1` }))
    .where('id', '=', chargebackId)
    .returning('round')
    .executeTakeFirstOrThrow()
  return round
}
