import { sql } from 'kysely'
import { HANDLING_REASONS } from '../domain/handling.ts'
import type { Database } from './connect.ts'

/** A command at work: an acceptance (later also an evidence submission) with what its workflow needs. */
export interface CommandAtWork {
  commandId: string
  kind: 'acceptance' | 'evidence_submission'
  status: 'created' | 'inProgress' | 'failed' | 'succeeded'
  merchantUuid: string
  integrationId: string
  source: string
  /** Ours. */
  chargebackId: string
  /** The PSP's. */
  reference: string
  round: number
  requestedAt: Date
  deadline: Date
  needsAttention: boolean
  version: bigint
}

export async function loadCommand(db: Database, commandId: string): Promise<CommandAtWork | null> {
  const [command] = await commandsAtWork(db, { commandId })
  return command ?? null
}

/** Unfinished commands that nobody looked at for `quietSeconds`, or a twentieth of their age; oldest look first. */
export async function unfinishedCommands(db: Database, quietSeconds: number, limit: number): Promise<CommandAtWork[]> {
  return commandsAtWork(db, { quietSeconds, limit })
}

async function commandsAtWork(
  db: Database,
  which: { commandId: string } | { quietSeconds: number; limit: number },
): Promise<CommandAtWork[]> {
  let query = db
    .selectFrom('command as k')
    .innerJoin('chargeback as c', 'c.id', 'k.chargeback_id')
    .innerJoin('integration as i', 'i.integration_id', 'c.integration_id')
    .select([
      'k.command_id as commandId',
      'k.kind',
      'k.status',
      'k.merchant_uuid as merchantUuid',
      'c.integration_id as integrationId',
      'i.source',
      'c.id as chargebackId',
      'c.chargeback_id as reference',
      'k.round',
      'k.requested_at as requestedAt',
      'k.deadline',
      'k.needs_attention as needsAttention',
      'k.version',
    ])
  query =
    'commandId' in which
      ? query.where('k.command_id', '=', which.commandId)
      : query
          .where('k.status', 'in', ['created', 'inProgress'])
          .where(
            sql<boolean>`coalesce(k.checked_at, k.requested_at) < now()
              - greatest(make_interval(secs => ${which.quietSeconds}), (now() - k.requested_at) / 20)`,
          )
          .orderBy(sql`coalesce(k.checked_at, k.requested_at)`)
          .limit(which.limit)
  return (await query.execute()) as CommandAtWork[]
}

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
  return db.transaction().execute(async (trx) => {
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
        what: `${command.kind} ${end.status}`,
        after: JSON.stringify({
          [`${command.kind}Id`]: command.commandId,
          ...(end.status === 'failed' && { error: end.error }),
        }),
      })
      .execute()
    if (end.status === 'succeeded' && command.kind === 'acceptance') await closeAsAccepted(trx, command, source)
    return true
  })
}

/** An accepted chargeback is not represented any more. */
async function closeAsAccepted(db: Database, command: CommandAtWork, source: string): Promise<void> {
  await sql`
    with before as (select id, status from chargeback where id = ${command.chargebackId} for update),
    moved as (
      update chargeback c set status = 'not_represented', status_reason = ${HANDLING_REASONS.accepted}, win_probability = null,
        roi_recommendation = null, version = version + 1, updated_at = now()
      from before where c.id = before.id and c.round = ${command.round}
      returning c.merchant_uuid, c.id, before.status as was)
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
    select merchant_uuid, id, ${source}, 'status changed', jsonb_build_object('status', was),
      jsonb_build_object('status', 'not_represented', 'reason', ${HANDLING_REASONS.accepted}::text)
    from moved where was <> 'not_represented'`.execute(db)
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
