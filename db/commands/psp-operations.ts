import { sql } from 'kysely'
import { v7 } from 'uuid'
import type { Database } from '../core/connect.ts'

/**
 * The ledger of effects at PSPs: one row per (dispute, action, round), written before the call and closed after it.
 * `submitting` and `unknown` mean that a request may have reached the PSP; only a read of the PSP resolves them.
 */
export interface PspOperation {
  pspOperationId: string
  idempotencyKey: string
  generation: number
  state: 'intent' | 'submitting' | 'confirmed' | 'rejected' | 'unknown'
  attempts: number
  /**
   * Outcome of the last call. `TAKEN`: the PSP responded that it takes it. `REPLAYED`: the PSP repeated an error that it
   * stores under the idempotency key.
   */
  outcome: string | null
  firstSentAt: Date | null
}

export const REPLAYED = 'replayed'
export const TAKEN = 'taken'
/** A call to a PSP has timed out after this long: RECOUP_COMMAND_TIMEOUT_MS is at most 120 s. */
const CALL_SECONDS = 150
/** Outcomes of a confirmed effect: applied by a call by Recoup, or found at the PSP before any call. */
export const APPLIED = 'applied'
export const FOUND = 'found at the PSP'

/**
 * Finds or creates the ledger row of an effect. A new command for the same effect takes the row over and resets a
 * rejected one. An attempt that was frozen until its command was closed does not take over its successor's row.
 */
export async function openOperation(db: Database, commandId: string, effect: string): Promise<PspOperation> {
  const { rows } = await sql<PspOperation>`
    with still_open as (
      select command_id from command where command_id = ${commandId} and status in ('created', 'inProgress') for share)
    insert into psp_operation as o (psp_operation_id, command_id, effect, idempotency_key, state)
    values (${v7()}, ${commandId}, ${effect}, ${`${effect}:1`}, 'intent')
    on conflict (effect) do update set
      command_id = case when exists (select from still_open) then excluded.command_id else o.command_id end,
      generation = case when ${BEGINS_ANEW} then o.generation + 1 else o.generation end,
      idempotency_key = case when ${BEGINS_ANEW} then o.effect || ':' || (o.generation + 1) else o.idempotency_key end,
      first_sent_at = case when ${BEGINS_ANEW} then null else o.first_sent_at end,
      state = case when ${BEGINS_ANEW} then 'intent' else o.state end
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      outcome, first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] as PspOperation
}

const BEGINS_ANEW = sql`(o.state = 'rejected' and o.command_id <> excluded.command_id and exists (select from still_open))`

/**
 * Claims the next call, if the row is unchanged since this attempt read it. An attempt that was frozen meanwhile, or
 * whose command is closed, finds it changed and must not call.
 * @returns the current row; null when the call must not be made
 */
export async function markSending(
  db: Database,
  operation: PspOperation,
  commandId: string,
  /** Reversible steps may be repeated after they were confirmed. */
  { again = false } = {},
): Promise<PspOperation | null> {
  const { rows } = await sql<PspOperation>`
    with still_open as (
      select command_id from command where command_id = ${commandId} and status in ('created', 'inProgress') for share)
    update psp_operation o set state = 'submitting', attempts = attempts + 1, last_sent_at = now(),
      first_sent_at = coalesce(first_sent_at, now())
    from still_open where psp_operation_id = ${operation.pspOperationId} and o.command_id = still_open.command_id
      and o.attempts = ${operation.attempts} and (${again} or o.state <> 'confirmed')
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      outcome, first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] ?? null
}

/**
 * Stores that the PSP takes the call, with its id of the request. The response alone confirms nothing, but an effect that
 * a later read shows is then Recoup's.
 */
export async function recordTaken(db: Database, operation: PspOperation, requestId: string | null): Promise<void> {
  await db
    .updateTable('psp_operation')
    .set({ outcome: TAKEN, ...(requestId !== null && { psp_request_id: requestId }) })
    .where('psp_operation_id', '=', operation.pspOperationId)
    .where('attempts', '=', operation.attempts)
    .where('state', '=', 'submitting')
    .execute()
}

/** Closes a call. An attempt's result never overwrites a later attempt's; a read's `confirmed` does. */
export async function markOperation(
  db: Database,
  operation: PspOperation,
  state: 'confirmed' | 'rejected' | 'unknown',
  details: { outcome: string; requestId?: string | null | undefined },
): Promise<void> {
  // An attempt that was frozen reads the effect of another attempt's call: that call was Recoup's own.
  const ours = sql<boolean>`(${details.outcome} = ${FOUND} and attempts > ${operation.attempts} and state <> 'rejected')`
  let update = db
    .updateTable('psp_operation')
    .set({
      state,
      outcome: sql`case when ${ours} and state = 'confirmed' then outcome when ${ours} then ${APPLIED} else ${details.outcome} end`,
      ...(details.requestId && { psp_request_id: details.requestId }),
    })
    .where('psp_operation_id', '=', operation.pspOperationId)
  if (state !== 'confirmed')
    update = update.where('attempts', '=', operation.attempts).where('state', '<>', 'confirmed')
  await update.execute()
}

/**
 * Raises the key generation, because the response that the PSP stores under this key is final: the next call carries a
 * new key. For an effect, only after a read.
 */
export async function raiseGeneration(db: Database, operation: PspOperation): Promise<PspOperation> {
  const { rows } = await sql<PspOperation>`
    update psp_operation set generation = generation + 1, idempotency_key = effect || ':' || (generation + 1), outcome = null
    where psp_operation_id = ${operation.pspOperationId}
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      outcome, first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] as PspOperation
}

/** Replaces an expired idempotency key, for reversible steps only: the next call is the first under the new key. */
export async function renewKey(db: Database, operation: PspOperation): Promise<PspOperation> {
  const { rows } = await sql<PspOperation>`
    update psp_operation set generation = generation + 1, idempotency_key = effect || ':' || (generation + 1),
      first_sent_at = null
    where psp_operation_id = ${operation.pspOperationId}
    returning psp_operation_id as "pspOperationId", idempotency_key as "idempotencyKey", generation, state, attempts,
      outcome, first_sent_at as "firstSentAt"`.execute(db)
  return rows[0] as PspOperation
}

/** Records what a read, or an operator, found out about a command's effect. */
export async function closeOperations(
  db: Database,
  commandId: string,
  state: 'confirmed' | 'rejected',
  outcome: string,
): Promise<void> {
  await sql`
    update psp_operation set state = ${state}, outcome = ${outcome}
    where command_id = ${commandId} and effect similar to '(accept|submit):%' and state <> 'confirmed'`.execute(db)
}

/** Whether the requested effect was found at the PSP, made by somebody else, and Recoup sent nothing. */
export async function wasFound(db: Database, commandId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from psp_operation where command_id = ${commandId} and effect similar to '(accept|submit):%'
      and state = 'confirmed' and outcome = ${FOUND}) as found`.execute(db)
  return rows[0]?.found ?? false
}

interface OwnCall {
  sent: boolean
  taken: boolean
  confirmed: boolean
}

/**
 * Whether a call of the command may have reached the PSP (`sent`: the ledger holds one that no read has ruled out),
 * whether the PSP responded that it takes it (`taken`), and whether a read has confirmed the effect (`confirmed`).
 */
export async function ownCall(db: Database, commandId: string): Promise<OwnCall> {
  const { rows } = await sql<OwnCall>`
    select count(*) > 0 as sent, coalesce(bool_or(outcome = ${TAKEN}), false) as taken,
      coalesce(bool_or(state = 'confirmed'), false) as confirmed from psp_operation
    where command_id = ${commandId} and effect similar to '(accept|submit):%'
      and state in ('submitting', 'unknown', 'confirmed')`.execute(db)
  return rows[0] ?? { sent: false, taken: false, confirmed: false }
}

/** Whether a call of the command may still be in flight. */
export async function isCalling(db: Database, commandId: string): Promise<boolean> {
  const { rows } = await sql`
    select from psp_operation where command_id = ${commandId} and state = 'submitting'
      and last_sent_at > now() - make_interval(secs => ${CALL_SECONDS})`.execute(db)
  return rows.length > 0
}
