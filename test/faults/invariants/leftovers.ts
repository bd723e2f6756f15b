import { sql } from 'kysely'
import { acceptanceWorkflowId, submissionWorkflowId } from '../../../workflows/contract.ts'
import { until } from '../../harness/until.ts'
import type { Evidence, Violation } from './violation.ts'

/** I14: outbox, locks and leases empty, no run open, whose command has ended. */
export async function nothingLeft({ ground, command, disputes }: Evidence): Promise<Violation[]> {
  const { db, temporal } = ground.stack
  const found: Violation[] = []
  const add = (sentence: string, chargebackId: string | null = null) =>
    void found.push({ invariant: 'I14', chargebackId, sentence })
  const waiting = () =>
    db.selectFrom('outbox').select(['kind', 'attempts', 'last_error']).where('kind', '<>', 'poll_now').execute()
  await until('the outbox is empty', waiting, { holds: (rows) => rows.length === 0, timeoutMs: 20_000 }).catch(
    (error) => add((error as Error).message),
  )
  const locks = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where state = 'idle in transaction' and state_change < now() - interval '2 seconds'`.execute(db)
    return rows[0]?.count ?? 0
  }
  await until('no transaction is left open', locks, { holds: (count) => count === 0, timeoutMs: 20_000 }).catch(
    (error) => add((error as Error).message),
  )
  const commands = await db
    .selectFrom('command')
    .select(['command_id', 'chargeback_id'])
    .where(
      'chargeback_id',
      'in',
      disputes.map((one) => one.chargebackId),
    )
    .execute()
  for (const { command_id, chargeback_id: chargebackId } of commands) {
    const id = command === 'acceptance' ? acceptanceWorkflowId(chargebackId, 1) : submissionWorkflowId(command_id)
    const handle = temporal.workflow.getHandle(id)
    const state = async () => (await handle.describe()).status.name
    await until('its run has ended', state, { holds: (name) => name !== 'RUNNING', timeoutMs: 20_000 }).catch((error) =>
      add((error as Error).message, chargebackId),
    )
  }
  return found
}
