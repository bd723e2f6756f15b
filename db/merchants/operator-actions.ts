import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * `requested`: waits for a second person. `approved`: done with the second person's consent. `started`: done in steps.
 */
export type ActionOutcome = 'started' | 'done' | 'requested' | 'approved'

/** One entry of the audit trail. No secret, and no personal data except the operator's name. */
export interface OperatorAction {
  operator: string
  /** The command's name, e.g. `integration pause`. */
  action: string
  outcome: ActionOutcome
  /** Id of the changed record; null when there is no single one. */
  subject: string | null
  reason: string | null
  details: Record<string, unknown>
}

/** Appends to the audit trail in the transaction of the action, so that both are stored or neither. */
export async function recordAction(db: Database, action: OperatorAction): Promise<void> {
  await db
    .insertInto('operator_action')
    .values({ ...action, details: JSON.stringify(action.details) })
    .execute()
}

export interface RecordedAction extends OperatorAction {
  /** Increases with each record. */
  actionId: number
  actedAt: Date
  /** Postgres role of the session. */
  databaseRole: string
}

export interface ActionFilter {
  operator?: string | undefined
  action?: string | undefined
  subject?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** Only records older than this one. */
  before?: number | undefined
  limit: number
}

/** Newest first. */
export async function listActions(db: Database, filter: ActionFilter): Promise<RecordedAction[]> {
  const { operator = null, action = null, subject = null, since = null, until = null, before = null } = filter
  const { rows } = await sql<RecordedAction>`
    select operator_action_id::float8 as "actionId", acted_at as "actedAt", operator, database_role as "databaseRole",
      action, outcome, subject, reason, details
    from operator_action
    where (${operator}::text is null or operator = ${operator})
      and (${action}::text is null or action = ${action})
      and (${subject}::text is null or subject = ${subject})
      and (${since}::timestamptz is null or acted_at >= ${since})
      and (${until}::timestamptz is null or acted_at < ${until})
      and (${before}::float8 is null or operator_action_id < ${before})
    order by operator_action_id desc limit ${filter.limit}`.execute(db)
  return rows
}
