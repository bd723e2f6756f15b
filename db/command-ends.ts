import { sql } from 'kysely'
import { HANDLING_REASONS } from '../domain/handling.ts'
import { type CommandAtWork, namedId, spoken } from './commands.ts'
import type { Database } from './connect.ts'
import { redecideChargebacks } from './redecide.ts'
import { inTransaction } from './transaction.ts'

/** created → inProgress; anything else stays. */
export async function beginCommand(db: Database, commandId: string): Promise<void> {
  await db
    .updateTable('command')
    .set({ status: 'inProgress', version: sql`version + 1` })
    .where('command_id', '=', commandId)
    .where('status', '=', 'created')
    .execute()
}

/**
 * Ends a command, once: succeeded and failed never change. The chargeback's timeline says so in the same transaction.
 * @returns false when it had ended before
 */
export async function endCommand(
  db: Database,
  command: CommandAtWork,
  end: { status: 'succeeded' } | { status: 'failed'; code: string; error: string },
  source: string,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
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
      .executeTakeFirst()
    if (ended.numUpdatedRows !== 1n) return false
    await trx
      .insertInto('timeline_event')
      .values({
        merchant_uuid: command.merchantUuid,
        chargeback_id: command.chargebackId,
        source,
        what: `${spoken(command.kind)} ${end.status}`,
        after: JSON.stringify({ ...namedId(command), ...(end.status === 'failed' && { error: end.error }) }),
      })
      .execute()
    if (end.status === 'succeeded') await moveChargeback(trx, command, source)
    // What changed meanwhile was held back for as long as the command was under way.
    else await redecideChargebacks(trx, { chargebackIds: [command.chargebackId] }, { now: new Date(), source })
    return true
  })
}

/**
 * An accepted chargeback is not represented any more; one whose evidence went out waits for the PSP, its chance frozen as
 * it was. A chargeback that was reopened meanwhile is in its next round, which this end says nothing about.
 */
async function moveChargeback(db: Database, command: CommandAtWork, source: string): Promise<void> {
  const accepted = command.kind === 'acceptance'
  const status = accepted ? 'not_represented' : 'pending_psp_results'
  const reason = accepted ? HANDLING_REASONS.accepted : HANDLING_REASONS.submitted
  await sql`
    with before as (select id, status from chargeback where id = ${command.chargebackId} for update),
    moved as (
      update chargeback c set status = ${status}, status_reason = ${reason},
        win_probability = case when ${accepted} then null else win_probability end,
        roi_recommendation = case when ${accepted} then null else roi_recommendation end,
        version = version + 1, updated_at = now()
      from before where c.id = before.id and c.round = ${command.round}
      returning c.merchant_uuid, c.id, before.status as was)
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
    select merchant_uuid, id, ${source}, 'status changed', jsonb_build_object('status', was),
      jsonb_build_object('status', ${status}::text, 'reason', ${reason}::text)
    from moved where was <> ${status}`.execute(db)
}

/** Marks for an operator what nobody can know yet. The client goes on reading inProgress. */
export async function flagCommand(db: Database, commandId: string, reason: string): Promise<void> {
  await db
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
    .execute()
}

/** Notes that the reconciler looked: the next look comes later. */
export async function touchCommand(db: Database, commandId: string): Promise<void> {
  await db.updateTable('command').set({ checked_at: sql`now()` }).where('command_id', '=', commandId).execute()
}

export async function countNeedingAttention(db: Database): Promise<number> {
  const row = await db
    .selectFrom('command')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('needs_attention', '=', true)
    .where('status', '=', 'inProgress')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
