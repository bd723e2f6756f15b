import type { Selectable } from 'kysely'
import type { CommandStatus } from '../../domain/acceptance.ts'
import type { PlannedSubmission } from '../../domain/evidence/submission.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { PREPARED } from '../core/scoped-query.ts'
import type { Command } from '../schema.ts'

export interface SubmissionRecord {
  submitEvidenceId: string
  fileId: string
  chargebackId: string
  referenceAccountId: string
  status: CommandStatus
  /** Time of the request; after success, time of completion. */
  submittedAt: Date
  error: string | null
  /** The content; null until it is planned. */
  planned: PlannedSubmission | null
  version: bigint
}

/** @throws Refusal chargeback_not_found, submission_not_found */
export async function readSubmission(
  db: Database,
  {
    merchantUuid,
    chargebackId,
    submitEvidenceId,
  }: Record<'merchantUuid' | 'chargebackId' | 'submitEvidenceId', string>,
): Promise<SubmissionRecord> {
  const row = await db
    .selectFrom('chargeback as c')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'c.merchant_uuid')
    .leftJoin(submissions(db).where('command.command_id', '=', submitEvidenceId).as('k'), (join) =>
      join.onRef('k.chargeback_id', '=', 'c.id'),
    )
    .select(['m.reference_id', 'k.command_id', 'k.file_id', 'k.plan', 'k.status', 'k.error', 'k.version'])
    .select(['k.requested_at', 'k.completed_at'])
    .where('c.merchant_uuid', '=', merchantUuid)
    .where('c.id', '=', chargebackId)
    .modifyEnd(PREPARED)
    .executeTakeFirst()
  if (!row) throw chargebackNotFound()
  if (!row.command_id || !row.file_id || !row.requested_at || row.version === null)
    throw new Refusal('missing', 'submission_not_found', 'There is no evidence submission with this id.')
  const { command_id, file_id, requested_at, version } = row
  return toRecord({ ...row, command_id, file_id, requested_at, version, chargeback_id: chargebackId })
}

const submissions = (db: Database) =>
  db
    .selectFrom('command')
    .innerJoin('evidence_submission as e', 'e.command_id', 'command.command_id')
    .selectAll('command')
    .select(['e.file_id', 'e.plan'])

const MOST_LISTED = 100

/** The latest submissions of the chargeback, newest first, at most 100. @throws Refusal chargeback_not_found */
export async function listSubmissions(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<SubmissionRecord[]> {
  // Left join: a chargeback without submissions differs from a missing one.
  const rows = await db
    .selectFrom('chargeback as c')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'c.merchant_uuid')
    .leftJoin(submissions(db).as('k'), (join) => join.onRef('k.chargeback_id', '=', 'c.id'))
    .select(['m.reference_id', 'k.command_id', 'k.file_id', 'k.plan', 'k.status', 'k.error', 'k.version'])
    .select(['k.requested_at', 'k.completed_at'])
    .where('c.merchant_uuid', '=', merchantUuid)
    .where('c.id', '=', chargebackId)
    .orderBy('k.requested_at', 'desc')
    .orderBy('k.command_id', 'desc')
    .limit(MOST_LISTED)
    .execute()
  if (rows.length === 0) throw chargebackNotFound()
  return rows.flatMap((row) => {
    const { command_id, file_id, requested_at, version } = row
    if (!command_id || !file_id || !requested_at || version === null) return []
    return [toRecord({ ...row, command_id, file_id, requested_at, version, chargeback_id: chargebackId })]
  })
}

/** Those of the submissions that the merchant has. */
export async function readSubmissions(
  db: Database,
  { merchantUuid, submitEvidenceIds }: { merchantUuid: string; submitEvidenceIds: readonly string[] },
): Promise<SubmissionRecord[]> {
  const rows = await db
    .selectFrom('command as k')
    .innerJoin('evidence_submission as e', 'e.command_id', 'k.command_id')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'k.merchant_uuid')
    .select(['m.reference_id', 'k.command_id', 'k.chargeback_id', 'e.file_id', 'e.plan', 'k.status', 'k.error'])
    .select(['k.requested_at', 'k.completed_at', 'k.version'])
    .where('k.merchant_uuid', '=', merchantUuid)
    .where('k.command_id', 'in', submitEvidenceIds)
    .execute()
  return rows.map(toRecord)
}

type CommandColumn = 'command_id' | 'chargeback_id' | 'requested_at' | 'completed_at' | 'error' | 'version'

function toRecord(
  row: Pick<Selectable<Command>, CommandColumn> & {
    reference_id: string
    file_id: string
    plan: unknown
    status: string | null
  },
): SubmissionRecord {
  const succeeded = row.status === 'succeeded'
  return {
    submitEvidenceId: row.command_id,
    fileId: row.file_id,
    chargebackId: row.chargeback_id,
    referenceAccountId: row.reference_id,
    status: row.status as CommandStatus,
    submittedAt: succeeded && row.completed_at ? row.completed_at : row.requested_at,
    error: row.status === 'failed' ? (row.error ?? 'The PSP did not confirm the submission.') : null,
    planned: row.plan as PlannedSubmission | null,
    version: row.version,
  }
}

/** A submission in the fields of the interface. */
export function submissionFields(record: SubmissionRecord) {
  const { dropped = [], shortened = [], converted = null } = record.planned ?? {}
  return {
    submitEvidenceId: record.submitEvidenceId,
    fileId: record.fileId,
    id: record.chargebackId,
    referenceAccountId: record.referenceAccountId,
    status: record.status,
    submittedAt: record.submittedAt.toISOString(),
    ...(record.error !== null && { error: record.error }),
    ...(dropped.length > 0 && { dropped }),
    ...(shortened.length > 0 && { shortened }),
    ...(converted && { converted }),
  }
}
