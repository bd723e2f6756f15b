import type { Selectable } from 'kysely'
import { acceptanceRefusal, type CommandStatus } from '../../domain/acceptance.ts'
import type { AnswerStages } from '../../domain/evidence/answer-stages.ts'
import type { SecretType, Source } from '../../domain/integration.ts'
import { chargebackNotFound } from '../chargebacks/chargebacks.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { PREPARED } from '../core/scoped-query.ts'
import { inTransaction } from '../core/transaction.ts'
import type { Command } from '../schema.ts'
import { lockForCommand } from './command-requests.ts'
import { createCommand } from './commands.ts'

export interface AcceptanceRequest {
  merchantUuid: string
  chargebackId: string
  credentialId: string
  now: Date
  /** Called with the chargeback locked, before anything is started; what it throws prevents that. */
  unchanged?: ((locked: Database) => Promise<void>) | undefined
  acceptStages(source: Source, secretType: SecretType): AnswerStages
}

/**
 * Requests the acceptance of a chargeback: command, timeline row and outbox row in one transaction. A repeated request
 * while one is open or has succeeded starts nothing; after a failed one it starts a new attempt.
 * @returns the outbox message to dispatch after the commit, null when nothing was started
 * @throws Refusal chargeback_not_found, or invalid with the code of the unmet precondition
 */
export function requestAcceptance(db: Database, request: AcceptanceRequest): Promise<{ outboxId: bigint | null }> {
  return inTransaction(db, async (trx) => {
    const { round, dispute, source, secretType, facts } = await lockForCommand(trx, request)
    if (facts.openCommand?.kind === 'acceptance') return { outboxId: null }
    await request.unchanged?.(trx)
    const refusal = acceptanceRefusal({
      ...facts,
      now: request.now,
      acceptStages: request.acceptStages(source, secretType),
    })
    if (refusal) throw new Refusal('invalid', refusal.code, refusal.message)

    const acceptanceId = await createCommand(trx, { ...request, kind: 'acceptance', dispute, round })
    return { outboxId: await enqueue(trx, { kind: 'accept_chargeback', payload: { acceptanceId } }) }
  })
}

export interface AcceptanceRecord {
  acceptanceId: string
  chargebackId: string
  referenceAccountId: string
  status: CommandStatus
  /** Time of the request; after success, time of completion. */
  acceptedAt: Date
  error: string | null
  version: bigint
}

/** The latest acceptance of the chargeback. @throws Refusal chargeback_not_found, acceptance_not_found */
export async function readAcceptance(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<AcceptanceRecord> {
  const row = await db
    .selectFrom('chargeback as c')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'c.merchant_uuid')
    .leftJoin('command as k', (join) => join.onRef('k.chargeback_id', '=', 'c.id').on('k.kind', '=', 'acceptance'))
    .select(['m.reference_id', 'k.command_id', 'k.status', 'k.requested_at', 'k.completed_at', 'k.error', 'k.version'])
    .where('c.merchant_uuid', '=', merchantUuid)
    .where('c.id', '=', chargebackId)
    .orderBy('k.requested_at', 'desc')
    .limit(1)
    .modifyEnd(PREPARED)
    .executeTakeFirst()
  if (!row) throw chargebackNotFound()
  if (!row.command_id || !row.requested_at || row.version === null)
    throw new Refusal('missing', 'acceptance_not_found', 'Acceptance of this chargeback was never requested.')
  const { command_id, requested_at, version } = row
  return toRecord({ ...row, command_id, requested_at, version, chargeback_id: chargebackId })
}

/** Those of the acceptances that the merchant has, by their own ids. */
export async function readAcceptances(
  db: Database,
  { merchantUuid, acceptanceIds }: { merchantUuid: string; acceptanceIds: readonly string[] },
): Promise<AcceptanceRecord[]> {
  const rows = await db
    .selectFrom('command as k')
    .innerJoin('merchant as m', 'm.merchant_uuid', 'k.merchant_uuid')
    .select(['m.reference_id', 'k.command_id', 'k.status', 'k.requested_at', 'k.completed_at', 'k.error', 'k.version'])
    .select('k.chargeback_id')
    .where('k.merchant_uuid', '=', merchantUuid)
    .where('k.kind', '=', 'acceptance')
    .where('k.command_id', 'in', acceptanceIds)
    .execute()
  return rows.map(toRecord)
}

function toRecord(
  row: Pick<
    Selectable<Command>,
    'command_id' | 'chargeback_id' | 'requested_at' | 'completed_at' | 'error' | 'version'
  > & { reference_id: string; status: string | null },
): AcceptanceRecord {
  const succeeded = row.status === 'succeeded'
  return {
    acceptanceId: row.command_id,
    chargebackId: row.chargeback_id,
    referenceAccountId: row.reference_id,
    status: row.status as CommandStatus,
    acceptedAt: succeeded && row.completed_at ? row.completed_at : row.requested_at,
    error: row.status === 'failed' ? (row.error ?? 'The PSP did not confirm the acceptance.') : null,
    version: row.version,
  }
}

/** An acceptance in the fields of the interface. */
export const acceptanceFields = (record: AcceptanceRecord) => ({
  id: record.chargebackId,
  referenceAccountId: record.referenceAccountId,
  status: record.status,
  acceptedAt: record.acceptedAt.toISOString(),
  ...(record.error !== null && { error: record.error }),
})
