import { sql } from 'kysely'
import type { PlannedSubmission } from '../../domain/evidence/submission.ts'
import { lockCommand } from '../commands/command-ends.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { personHashes } from '../erasure/persons.ts'
import type { JsonValue } from '../schema.ts'

/** The content of an evidence submission: fixed once, then used by every attempt and every workflow run. */
export interface StoredPlan {
  fileId: string
  /** Null until it is planned. */
  planned: PlannedSubmission | null
  texts: Record<string, string>
  /** Field → the PSP's id of the document in it. */
  uploaded: Record<string, string>
  /** Whether the submission call itself was ever made. */
  sent: boolean
}

export async function loadPlan(db: Database, ring: KeyRing, submitEvidenceId: string): Promise<StoredPlan | null> {
  const row = await db
    .selectFrom('evidence_submission as e')
    .select(['e.file_id', 'e.plan', 'e.texts_sealed'])
    .select(
      sql<Record<string, string> | null>`(select jsonb_object_agg(field, psp_file) from evidence_upload u
        where u.command_id = e.command_id and u.sha256 = e.plan #>> '{document,sha256}')`.as('uploaded'),
    )
    .select(
      sql<boolean>`exists (select from psp_operation o where o.command_id = e.command_id
        and o.effect like 'submit:%' and o.state in ('submitting', 'unknown', 'confirmed'))`.as('sent'),
    )
    .where('e.command_id', '=', submitEvidenceId)
    .executeTakeFirst()
  if (!row) return null
  const texts =
    row.texts_sealed === null ? '{}' : open(ring, row.texts_sealed, sealContext.submissionTexts(submitEvidenceId))
  return {
    fileId: row.file_id,
    planned: row.plan as PlannedSubmission | null,
    texts: JSON.parse(texts) as Record<string, string>,
    uploaded: row.uploaded ?? {},
    sent: row.sent,
  }
}

/**
 * Fixes the plan, once: a second caller gets the first one's plan. The timeline lists what was dropped or shortened.
 */
export async function storePlan(
  db: Database,
  ring: KeyRing,
  submitEvidenceId: string,
  plan: { requirements: unknown; planned: PlannedSubmission; texts: Record<string, string> },
): Promise<void> {
  const { planned, texts } = plan
  const plain = JSON.stringify(texts)
  await db.transaction().execute(async (trx) => {
    // The command before its submission, as where it ends.
    await lockCommand(trx, submitEvidenceId)
    const stored = await trx
      .updateTable('evidence_submission')
      .set({
        planned_at: sql`now()`,
        requirements: plan.requirements as JsonValue,
        plan: planned as unknown as JsonValue,
        texts_sealed: seal(ring, plain, sealContext.submissionTexts(submitEvidenceId)),
        persons: personHashes(ring, plain),
      })
      .where('command_id', '=', submitEvidenceId)
      .where('planned_at', 'is', null)
      .executeTakeFirst()
    if (stored.numUpdatedRows !== 1n) return
    const { dropped, shortened, converted } = planned
    const after = { submitEvidenceId, fields: planned.fields, dropped, shortened, ...(converted && { converted }) }
    await sql`
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      select merchant_uuid, chargeback_id, 'planning', 'evidence planned', ${JSON.stringify(after)}::jsonb
      from command where command_id = ${submitEvidenceId}`.execute(trx)
    await sql`update command set version = version + 1 where command_id = ${submitEvidenceId}`.execute(trx)
  })
}

/**
 * Stores the PSP's id of an uploaded document. A second upload keeps the first id, because calls under one key must
 * carry the same content.
 */
export async function recordUpload(
  db: Database,
  submitEvidenceId: string,
  upload: { field: string; sha256: string; pspFile: string },
): Promise<void> {
  await sql`
    insert into evidence_upload (command_id, field, sha256, psp_file)
    values (${submitEvidenceId}, ${upload.field}, ${upload.sha256}, ${upload.pspFile})
    on conflict (command_id, field) do nothing`.execute(db)
}

/**
 * Records the parts of a plan that the PSP rejected while it was staged; one timeline row, however often it is staged.
 */
export async function recordLeftOut(
  db: Database,
  submitEvidenceId: string,
  leftOut: readonly { what: string; why: string }[],
): Promise<void> {
  const after = JSON.stringify({ submitEvidenceId, dropped: leftOut })
  await sql`
    with locked as materialized (
      select command_id from command where command_id = ${submitEvidenceId} for no key update
    ), changed as (
      update evidence_submission e
      set plan = jsonb_set(e.plan, '{dropped}', (e.plan -> 'dropped') || ${JSON.stringify(leftOut)}::jsonb)
      from locked where e.command_id = locked.command_id and not (e.plan -> 'dropped') @> ${JSON.stringify(leftOut)}::jsonb
      returning e.command_id
    ), versioned as (
      update command set version = version + 1 where command_id in (select command_id from changed)
      returning merchant_uuid, chargeback_id
    )
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
    select merchant_uuid, chargeback_id, 'planning', 'evidence left out', ${after}::jsonb from versioned`.execute(db)
}
