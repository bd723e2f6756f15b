import { sql } from 'kysely'
import { HANDLING_REASONS } from '../../domain/handling.ts'
import { EARLIEST_DUE_DATE } from '../chargebacks/earliest-due-date.ts'
import { recomputeChargebacks } from '../chargebacks/recompute.ts'
import type { Database } from '../core/connect.ts'
import { readTime } from '../core/time.ts'
import { inTransaction } from '../core/transaction.ts'
import { type CommandAtWork, DUE_SOON_REASON, kindInWords, loadCommand, namedId } from './commands.ts'

/** created → inProgress; any other status stays. */
export async function beginCommand(db: Database, commandId: string): Promise<void> {
  await db
    .updateTable('command')
    .set({ status: 'inProgress', version: sql`version + 1` })
    .where('command_id', '=', commandId)
    .where('status', '=', 'created')
    .execute()
}

/**
 * Closes a command, once: succeeded and failed are final. Writes the timeline row in the same transaction. A command
 * can't fail while the ledger holds a call of it with an unknown outcome.
 * @returns false when nothing was changed: it was closed before, or its outcome is still unknown
 */
export async function endCommand(
  db: Database,
  command: CommandAtWork,
  end: { status: 'succeeded' } | { status: 'failed'; code: string; error: string },
  source: string,
  /** Further timeline details; no personal data. */
  about: Record<string, string | boolean> = {},
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    await lockCommand(trx, command.commandId)
    const ended = await trx
      .updateTable('command')
      .set({
        status: end.status,
        completed_at: sql`now()`,
        needs_attention: false,
        attention_reason: null,
        error: end.status === 'failed' ? end.error : null,
        error_code: end.status === 'failed' ? end.code : null,
        version: sql`version + 1`,
      })
      .where('command_id', '=', command.commandId)
      .where('status', 'in', ['created', 'inProgress'])
      .$if(end.status === 'failed', (update) =>
        update.where(
          sql<boolean>`not exists (select from psp_operation o where o.command_id = command.command_id
            and o.effect similar to '(accept|submit):%' and o.state in ('submitting', 'unknown', 'confirmed'))`,
        ),
      )
      .executeTakeFirst()
    if (ended.numUpdatedRows !== 1n) return false
    await trx
      .insertInto('timeline_event')
      .values({
        merchant_uuid: command.merchantUuid,
        chargeback_id: command.chargebackId,
        source,
        what: `${kindInWords(command.kind)} ${end.status}`,
        after: JSON.stringify({ ...namedId(command), ...(end.status === 'failed' && { error: end.error }), ...about }),
      })
      .execute()
    // The texts were sent, or never will be.
    await trx
      .updateTable('evidence_submission')
      .set({ texts_sealed: null, persons: sql`'{}'` })
      .where('command_id', '=', command.commandId)
      .execute()
    if (end.status === 'succeeded') await moveChargeback(trx, command, source)
    // Apply what was deferred while the command was in progress.
    else
      await recomputeChargebacks(trx, { chargebackIds: [command.chargebackId] }, { now: await readTime(trx), source })
    return true
  })
}

/**
 * Waits for a call that is being claimed (`markSending`), and blocks further claims until the transaction ends. A
 * separate statement, because a statement that waited would still see the ledger as it was before.
 */
export async function lockCommand(trx: Database, commandId: string): Promise<void> {
  await trx.selectFrom('command').select('command_id').where('command_id', '=', commandId).forNoKeyUpdate().execute()
}

/**
 * After an acceptance the chargeback is not represented. After a submission it waits for the PSP, with its win
 * probability frozen. A chargeback that was reopened meanwhile is in its next round and stays as it is. One that the
 * PSP has since put under review or decided waits for the PSP. An accepted chargeback is lost because of the
 * acceptance, whatever evidence was staged before.
 */
async function moveChargeback(db: Database, command: CommandAtWork, source: string): Promise<void> {
  const accepted = command.kind === 'acceptance'
  const status = accepted ? 'not_represented' : 'pending_psp_results'
  const reason = accepted ? HANDLING_REASONS.accepted : HANDLING_REASONS.submitted
  await sql`
    with before as (
      select id, status, win_probability, roi_recommendation from chargeback where id = ${command.chargebackId} for no key update
    ), moved as (
      update chargeback c set status = ${status}, status_reason = ${reason},
        psp_status = case when ${accepted} and c.psp_status = 'evidence_not_submitted_by_psp' then 'lost'
          else c.psp_status end,
        win_probability = case when ${accepted} then null else c.win_probability end,
        roi_recommendation = case when ${accepted} then null else c.roi_recommendation end,
        version = version + 1, updated_at = now()
      from before where c.id = before.id and c.round = ${command.round}
        and (not ${accepted} or before.status <> 'pending_psp_results')
      returning c.merchant_uuid, c.id, before.status as was, before.win_probability, before.roi_recommendation
    )
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
    select merchant_uuid, id, ${source}, 'status changed', jsonb_build_object('status', was),
      jsonb_build_object('status', ${status}::text, 'reason', ${reason}::text)
    from moved where was <> ${status}
    union all
    select merchant_uuid, id, ${source}, 'assessment changed',
      jsonb_build_object('winProbability', win_probability, 'roiRecommendation', roi_recommendation),
      '{"winProbability": null, "roiRecommendation": null}'::jsonb
    from moved where ${accepted} and (win_probability is not null or roi_recommendation is not null)`.execute(db)
}

/**
 * Flags a command with an unknown outcome for operators. Clients still read inProgress. @returns false when it is
 * closed
 */
export async function flagCommand(db: Database, commandId: string, reason: string): Promise<boolean> {
  const flagged = await db
    .updateTable('command')
    .set({
      status: 'inProgress',
      needs_attention: true,
      attention_reason: reason,
      attention_at: sql`coalesce(attention_at, now())`,
      checked_at: sql`now()`,
      version: sql`version + 1`,
    })
    .where('command_id', '=', commandId)
    .where('status', 'in', ['created', 'inProgress'])
    .executeTakeFirst()
  return flagged.numUpdatedRows === 1n
}

/**
 * Commands within `hours` of their chargeback's due date that are still open `graceSeconds` after the request: flags
 * each once for operators and adds a timeline row. Clients still read its status.
 */
export async function dueSoonCommands(
  db: Database,
  { hours, graceSeconds, limit }: { hours: number; graceSeconds: number; limit: number },
): Promise<CommandAtWork[]> {
  const { rows } = await sql<{ command_id: string }>`
    with soon as (
      select k.command_id, c.due_date from command k join chargeback c on c.id = k.chargeback_id
      where k.status in ('created', 'inProgress') and k.due_soon_at is null
        and k.requested_at < now() - make_interval(secs => ${graceSeconds})
        and ${EARLIEST_DUE_DATE} < now() + make_interval(hours => ${hours})
      order by k.requested_at limit ${limit} for update of k skip locked
    ), told as (
      update command k set due_soon_at = now(), needs_attention = true, attention_at = coalesce(attention_at, now()),
        attention_reason = coalesce(attention_reason, ${DUE_SOON_REASON}), version = version + 1
      from soon where k.command_id = soon.command_id
      returning k.command_id, k.kind, k.merchant_uuid, k.chargeback_id, soon.due_date
    ), timeline as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      select merchant_uuid, chargeback_id, 'deadline', replace(kind, '_', ' ') || ' due soon and still open',
        jsonb_build_object(case kind when 'acceptance' then 'acceptanceId' else 'submitEvidenceId' end, command_id,
          'dueDate', due_date) from told
    )
    select command_id from told`.execute(db)
  const found = await Promise.all(rows.map((row) => loadCommand(db, row.command_id)))
  return found.filter((command) => command !== null)
}

/** Open commands that are flagged as due soon. */
export async function countDueSoon(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from command
    where status in ('created', 'inProgress') and due_soon_at is not null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Records a check by the reconciler, which postpones the next one. */
export async function touchCommands(db: Database, commandIds: string[]): Promise<void> {
  if (commandIds.length === 0) return
  await db.updateTable('command').set({ checked_at: sql`now()` }).where('command_id', 'in', commandIds).execute()
}

export async function countNeedingAttention(db: Database): Promise<number> {
  const row = await db
    .selectFrom('command')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('needs_attention', '=', true)
    .where('status', 'in', ['created', 'inProgress'])
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
