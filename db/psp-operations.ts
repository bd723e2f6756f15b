import { sql } from 'kysely'
import { v7 } from 'uuid'
import type { Database } from './connect.ts'

/**
 * The ledger of effects at PSPs: one row per (chargeback, action, round), written before the call and closed after it.
 * `submitting` and `unknown` mean that something of ours may have arrived; only a read leaves them.
 */
export interface PspOperation {
  pspOperationId: string
  idempotencyKey: string
  generation: number
  state: 'intent' | 'submitting' | 'confirmed' | 'rejected' | 'unknown'
  attempts: number
  firstSentAt: Date | null
}

/** Finds or makes the ledger row of an effect. A new command for the same effect takes over a rejected row. */
export async function openOperation(db: Database, commandId: string, effect: string): Promise<PspOperation> {
  const { rows } = await sql<PspOperation>`
    insert into psp_operation as o (psp_operation_id, command_id, effect, idempotency_key, state)
    values (${v7()}, ${commandId}, ${effect}, ${`${effect}:1`}, 'intent')
    on conflict (effect) do update set
      command_id = excluded.command_id,
      generation = case when o.state = 'rejected' and o.command_id <> excluded.command_id then o.generation + 1 else o.generation end,
      idempotency_key = case when o.state = 'rejected' and o.command_id <> excluded.command_id
        then o.effect || ':' || (o.generation + 1) else o.idempotency_key end,
      first_sent_at = case when o.state = 'rejected' and o.command_id <> excluded.command_id then null else o.first_sent_at end,
      state = case when o.state = 'rejected' and o.command_id <> excluded.command_id then 'intent' else o.state end
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] as PspOperation
}

export async function markSending(db: Database, operation: PspOperation): Promise<void> {
  await db
    .updateTable('psp_operation')
    .set({
      state: 'submitting',
      attempts: sql`attempts + 1`,
      first_sent_at: sql`coalesce(first_sent_at, now())`,
      last_sent_at: sql`now()`,
    })
    .where('psp_operation_id', '=', operation.pspOperationId)
    .execute()
}

export async function markOperation(
  db: Database,
  operation: PspOperation,
  state: 'confirmed' | 'rejected' | 'unknown',
  details: { outcome: string; requestId?: string | null | undefined },
): Promise<void> {
  await db
    .updateTable('psp_operation')
    .set({ state, outcome: details.outcome, ...(details.requestId && { psp_request_id: details.requestId }) })
    .where('psp_operation_id', '=', operation.pspOperationId)
    .execute()
}

/** A read showed that a stored answer under this key says nothing new: the next attempt carries a new key. */
export async function raiseGeneration(db: Database, operation: PspOperation): Promise<PspOperation> {
  const { rows } = await sql<PspOperation>`
    update psp_operation set generation = generation + 1, idempotency_key = effect || ':' || (generation + 1)
    where psp_operation_id = ${operation.pspOperationId}
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] as PspOperation
}
