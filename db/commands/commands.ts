import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { CommandStatus } from '../../domain/acceptance.ts'
import { type Dispute, UNCONFIRMED_ACCOUNT } from '../../domain/dispute.ts'
import type { Database } from '../core/connect.ts'

export type CommandKind = 'acceptance' | 'evidence_submission'

/** The kind as the timeline spells it. */
export const kindInWords = (kind: CommandKind) => kind.replace('_', ' ')

/** A command's id under the field name that clients know. */
export const namedId = ({ kind, commandId }: { kind: CommandKind; commandId: string }) => ({
  [kind === 'acceptance' ? 'acceptanceId' : 'submitEvidenceId']: commandId,
})

/** Flag reason of a command that is near its due date although its workflow run looks healthy. */
export const DUE_SOON_REASON = 'due soon and still open'

/** Hours until a command with an unknown outcome is flagged for operators. */
const DEADLINE_HOURS = 24

/**
 * Inserts a command and its timeline row; call it in the transaction that checked the preconditions. @returns its id
 */
export async function createCommand(
  db: Database,
  asked: {
    kind: CommandKind
    merchantUuid: string
    chargebackId: string
    dispute: Dispute
    round: number
    /** Null: Recoup's own decision. */
    credentialId: string | null
    /** Further timeline details; no personal data. */
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
      source: credentialId === null ? 'automation' : 'api',
      what: `${kindInWords(kind)} requested`,
      after: JSON.stringify({ ...namedId({ kind, commandId }), ...(credentialId && { credentialId }), ...asked.about }),
    })
    .execute()
  return commandId
}

/** The command of this round that has not failed; it excludes every other. */
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
 * Whether the same dispute is answered through another chargeback of ours: that one has a command that is open, or that
 * succeeded in the same round.
 */
const answered = (
  of: Record<'chargebackId' | 'source' | 'pspAccount' | 'reference' | 'round', unknown>,
) => sql<boolean>`coalesce((select true from command k
  where k.reference = ${of.reference} and k.source = ${of.source} and k.chargeback_id <> ${of.chargebackId}
    and (k.psp_account in (${of.pspAccount}, ${UNCONFIRMED_ACCOUNT}) or ${of.pspAccount} = ${UNCONFIRMED_ACCOUNT})
    and (k.status in ('created', 'inProgress') or (k.status = 'succeeded' and k.round = ${of.round})) limit 1), false)`

/** Whether the dispute of chargeback `c`, of integration `i`, is answered elsewhere. */
export const ANSWERED_ELSEWHERE = answered({
  ...{ reference: sql`c.chargeback_id`, source: sql`i.source`, chargebackId: sql`c.id` },
  ...{ pspAccount: sql`c.psp_account`, round: sql`c.round` },
})

/** The same for one chargeback. Call it in the scope of the system: the other chargeback may be another tenant's. */
export async function answeredElsewhere(
  db: Database,
  { chargebackId, dispute, round }: { chargebackId: string; dispute: Dispute; round: number },
): Promise<boolean> {
  const { rows } = await sql<{ answered: boolean }>`
    select ${answered({ ...dispute, chargebackId, round })} as answered`.execute(db)
  return rows[0]?.answered ?? false
}

/** An open command (acceptance or evidence submission) with the inputs of its workflow. */
export interface CommandAtWork extends Dispute {
  commandId: string
  kind: CommandKind
  status: CommandStatus
  merchantUuid: string
  integrationId: string
  /** Recoup's id. */
  chargebackId: string
  round: number
  /** The chargeback's current round. */
  chargebackRound: number
  requestedAt: Date
  deadline: Date
  /** Due date of the chargeback. */
  dueDate: Date | null
  needsAttention: boolean
  version: bigint
}

export async function loadCommand(db: Database, commandId: string): Promise<CommandAtWork | null> {
  const [command] = await commandsAtWork(db, { commandId })
  return command ?? null
}

/**
 * Unfinished commands that were not checked for `quietSeconds`, least recently checked first. A command flagged without
 * a result waits a twentieth of its age, because each check reads the PSP. The flag for a near due date does not delay
 * checks.
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
