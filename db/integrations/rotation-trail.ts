import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { inScope } from '../core/scope.ts'

/**
 * Adds the results of rotations that an operator requested to the audit trail, under the operator's name and reason,
 * whichever process found them. Call it in the transaction that closes them.
 */
export async function recordRotationEnds(trx: Database, ended: readonly { id: string }[]): Promise<void> {
  if (ended.length === 0) return
  // A client's request may close an operator's rotation too; clients can't read the trail.
  await inScope('system', () =>
    sql`
      insert into operator_action (operator, action, outcome, subject, reason, details)
      select a.operator, a.action, 'done', a.subject, a.reason,
        a.details || jsonb_build_object('secret', r.outcome, 'code', r.code)
      from secret_rotation r
      join operator_action a on a.subject = r.integration_id::text and a.action = 'integration rotate'
        and a.outcome = 'started' and a.details ->> 'rotationId' = r.rotation_id::text
      where r.rotation_id = any(${ended.map(({ id }) => id)}::uuid[]) and r.outcome is not null`.execute(trx),
  )
}

export const SUPERSEDED = {
  code: 'rotation_superseded',
  reason: 'Another replacement was asked for meanwhile; this one changed nothing.',
}

/** Withdraws open rotations and erases their candidates. @returns how many */
export async function withdraw(
  trx: Database,
  which: ReturnType<typeof sql>,
  { code, reason }: { code: string | null; reason: string | null } = { code: null, reason: null },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update secret_rotation set outcome = 'withdrawn', secret_sealed = null, ended_at = now(),
      code = ${code}, reason = ${reason}
    where outcome is null and ${which} returning rotation_id as id`.execute(trx)
  await recordRotationEnds(trx, rows)
  return rows.length
}
