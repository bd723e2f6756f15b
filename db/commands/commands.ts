import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { CommandStatus } from '../../domain/acceptance.ts'
import { type Dispute, UNCONFIRMED_ACCOUNT } from '../../domain/dispute.ts'
import type { Database } from '../core/connect.ts'

export type CommandKind = 'acceptance' | 'evidence_submission'

/** A kind in the words of the timeline. */
export const spoken = (kind: CommandKind) => kind.replace('_', ' ')

/** A command's id under the name that clients know it by. */
export const namedId = ({ kind, commandId }: { kind: CommandKind; commandId: string }) => ({
  [kind === 'acceptance' ? 'acceptanceId' : 'submitEvidenceId']: commandId,
})

/** Why a command is flagged whose run is at work, as far as anybody knows. */
export const DUE_SOON_REASON = 'due soon and still open'

/** Hours until an outcome that is still unknown is flagged for operators. */
const DEADLINE_HOURS = 24

/** Writes what was asked for and tells the timeline; call it in the transaction that checked. @returns its id */
export async function createCommand(
  db: Database,
  asked: {
    kind: CommandKind
    merchantUuid: string
    chargebackId: string
    dispute: Dispute
    round: number
    credentialId: string
    /** What else the timeline tells; no person. */
    about?: Record<string, string>
  },
): Promise<string> {
  const commandId = uuidv7()
  const { kind, merchantUuid, chargebackId, credentialId } = asked
  await db
    .insertInto('command')
    .values({
      command_id: commandId,
      kind,
      merchant_uuid: merchantUuid,
      chargeback_id: chargebackId,
      source: asked.dispute.source,
      psp_account: asked.dispute.pspAccount,
      reference: asked.dispute.reference,
      round: asked.round,
      credential_id: credentialId,
      deadline: sql<Date>`now() + make_interval(hours => ${DEADLINE_HOURS})`,
    })
    .execute()
  await db
    .insertInto('timeline_event')
    .values({
      merchant_uuid: merchantUuid,
      chargeback_id: chargebackId,
      source: 'api',
      what: `${spoken(kind)} requested`,
      after: JSON.stringify({ ...namedId({ kind, commandId }), credentialId, ...asked.about }),
    })
    .execute()
  return commandId
}

/** The one command of this round that is not failed, which excludes every other. */
export async function openCommand(
  db: Database,
  chargebackId: string,
  round: number,
): Promise<{ commandId: string; kind: CommandKind; status: CommandStatus } | null> {
  const row = await db
    .selectFrom('command')
    .select(['command_id', 'kind', 'status'])
    .where('chargeback_id', '=', chargebackId)
    .where('round', '=', round)
    .where('status', '<>', 'failed')
    .executeTakeFirst()
  return row ? { commandId: row.command_id, kind: row.kind as CommandKind, status: row.status as CommandStatus } : null
}

/**
 * Whether the same dispute is answered through another chargeback of ours: a command there that is open, or that has
 * succeeded in the same round.
 */
export async function answeredElsewhere(
  db: Database,
  { chargebackId, dispute, round }: { chargebackId: string; dispute: Dispute; round: number },
): Promise<boolean> {
  const { source, pspAccount, reference } = dispute
  const { rows } = await sql<{ answered: boolean }>`
    select exists (
      select from command where reference = ${reference} and source = ${source} and chargeback_id <> ${chargebackId}
        and (psp_account in (${pspAccount}, ${UNCONFIRMED_ACCOUNT}) or ${pspAccount} = ${UNCONFIRMED_ACCOUNT})
        and (status in ('created', 'inProgress') or (status = 'succeeded' and round = ${round}))
    ) as answered`.execute(db)
  return rows[0]?.answered ?? false
}

/** A command at work: an acceptance or an evidence submission, with what its workflow needs. */
export interface CommandAtWork extends Dispute {
  commandId: string
  kind: CommandKind
  status: CommandStatus
  merchantUuid: string
  integrationId: string
  /** Ours. */
  chargebackId: string
  round: number
  /** The round that the chargeback is in now. */
  chargebackRound: number
  requestedAt: Date
  deadline: Date
  /** Of the chargeback. */
  dueDate: Date | null
  needsAttention: boolean
  version: bigint
}

export async function loadCommand(db: Database, commandId: string): Promise<CommandAtWork | null> {
  const [command] = await commandsAtWork(db, { commandId })
  return command ?? null
}

/**
 * Unfinished commands that nobody looked at for `quietSeconds`, oldest look first. One that was found without a result waits
 * a twentieth of the time since, as each look at it reads the PSP; that its due date is near says nothing about its run.
 */
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
    .select([
      'k.command_id as commandId',
      'k.kind',
      'k.status',
      'k.merchant_uuid as merchantUuid',
      'c.integration_id as integrationId',
      'k.source',
      'k.psp_account as pspAccount',
      'k.reference',
      'c.id as chargebackId',
      'k.round',
      'c.round as chargebackRound',
      'k.requested_at as requestedAt',
      'k.deadline',
      'c.due_date as dueDate',
      'k.needs_attention as needsAttention',
      'k.version',
    ])
  query =
    'commandId' in which
      ? query.where('k.command_id', '=', which.commandId)
      : query
          .where('k.status', 'in', ['created', 'inProgress'])
          .where(
            sql<boolean>`coalesce(k.checked_at, k.requested_at) < now() - greatest(make_interval(secs => ${which.quietSeconds}),
              case when k.needs_attention and k.attention_reason <> ${DUE_SOON_REASON} then (now() - k.attention_at) / 20 end)`,
          )
          .orderBy(sql`coalesce(k.checked_at, k.requested_at)`)
          .limit(which.limit)
  return (await query.execute()) as CommandAtWork[]
}
