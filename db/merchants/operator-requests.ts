import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { sameOperator } from '../../domain/accounts/operator.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import type { JsonValue } from '../schema.ts'

/** Minutes within which a second person has to approve. */
export const APPROVAL_MINUTES = 60

export interface OperatorRequest {
  action: string
  subject: string | null
  /** Parameters of the action; no secret. */
  parameters: Record<string, JsonValue>
  operator: string
  reason: string
}

/** Stores an action until another operator approves it. */
export async function requestApproval(
  db: Database,
  request: OperatorRequest,
): Promise<{ requestId: string; expiresAt: Date }> {
  const requestId = uuidv7()
  const { expires_at } = await db
    .insertInto('operator_request')
    .values({
      ...request,
      request_id: requestId,
      parameters: JSON.stringify(request.parameters),
      expires_at: sql<Date>`now() + make_interval(mins => ${APPROVAL_MINUTES})`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow()
  return { requestId, expiresAt: expires_at }
}

/**
 * Locks the request until the transaction ends and marks it as approved by `approver`. The same approver may repeat the
 * call until the action is done, so that an interrupted action can continue.
 * @throws Refusal request_not_found, request_done, request_expired, same_operator
 */
export async function approveRequest(
  trx: Database,
  requestId: string,
  approver: string,
): Promise<OperatorRequest & { again: boolean }> {
  const row = await trx
    .selectFrom('operator_request')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('request_id', '=', requestId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Refusal('missing', 'request_not_found', `There is no request ${requestId}.`)
  const { action, subject, operator, reason, approved_by } = row
  const again = approved_by !== null && sameOperator(approved_by, approver)
  if (row.done_at || (approved_by !== null && !again))
    throw new Refusal('invalid', 'request_done', `The request was approved by ${approved_by} already.`)
  if (row.expired) throw new Refusal('invalid', 'request_expired', 'The request has expired: ask for the action again.')
  if (sameOperator(operator, approver))
    throw new Refusal('invalid', 'same_operator', `${operator} asked for it: another operator has to approve it.`)
  await trx
    .updateTable('operator_request')
    .set({ approved_by: approver, approved_at: sql`coalesce(approved_at, now())` })
    .where('request_id', '=', requestId)
    .execute()
  return { action, subject, parameters: row.parameters as Record<string, JsonValue>, operator, reason, again }
}

/** Closes the request: it can't be approved any more. */
export async function closeRequest(db: Database, requestId: string): Promise<void> {
  await db.updateTable('operator_request').set({ done_at: sql`now()` }).where('request_id', '=', requestId).execute()
}
