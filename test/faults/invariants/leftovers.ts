import { ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client'
import { sql } from 'kysely'
import { pollScheduleId } from '../../../workflows/contract.ts'
import { runOf } from '../../harness/runs.ts'
import { until } from '../../harness/until.ts'
import type { Testbed } from '../testbed/prepare.ts'
import type { Evidence, Violation } from './violation.ts'

/** I14: the outbox is empty, no transaction is open, and no workflow run whose command has ended. */
export async function nothingLeft({ testbed, disputes }: Pick<Evidence, 'testbed' | 'disputes'>): Promise<Violation[]> {
  const { db, temporal } = testbed.stack
  const found: Violation[] = []
  const add = (sentence: string, chargebackId: string | null = null) =>
    void found.push({ invariant: 'I14', chargebackId, sentence })
  found.push(...(await serversQuiet(testbed)))
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
    const handle = temporal.workflow.getHandle(await runOf(db, command_id))
    const state = async () => (await handle.describe().catch(noRun)).status.name
    await until('its run has ended', state, { holds: (name) => name !== 'RUNNING' }).catch((error) =>
      add((error as Error).message, chargebackId),
    )
  }
  return found
}

/** A wiped Temporal doesn't know the run of a command that has ended, and need not. */
function noRun(error: unknown): { status: { name: string } } {
  if (error instanceof WorkflowNotFoundError) return { status: { name: 'NONE' } }
  throw error
}

/** A deactivated integration has no schedule. */
function unscheduled(error: unknown): { info: { runningActions: unknown[] } } {
  if (error instanceof ScheduleNotFoundError) return { info: { runningActions: [] } }
  throw error
}

async function serversQuiet({ stack: { db } }: Testbed, everything = false): Promise<Violation[]> {
  const found: Violation[] = []
  const add = (error: unknown) =>
    void found.push({ invariant: 'I14', chargebackId: null, sentence: (error as Error).message })
  const waiting = () =>
    db
      .selectFrom('outbox')
      .select(['kind', 'attempts', 'last_error'])
      .where('kind', '<>', everything ? '' : 'poll_now')
      .execute()
  await until('the outbox is empty', waiting, { holds: (rows) => rows.length === 0 }).catch(add)
  const locks = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where state = 'idle in transaction' and state_change < now() - interval '2 seconds'`.execute(db)
    return rows[0]?.count ?? 0
  }
  await until('no transaction is left open', locks, { holds: (count) => count === 0 }).catch(add)
  return found
}

/** A violation about one integration; null = about all of them. */
export interface Left {
  about: string | null
  sentence: string
}

/** I14 of ingestion: the outbox is empty, no transaction is open, no reread or lease is left, no poll is running. */
export async function nothingOpen(testbed: Testbed, integrationIds: readonly string[]): Promise<Left[]> {
  const { db, temporal } = testbed.stack
  const left: Left[] = (await serversQuiet(testbed, true)).map(({ sentence }) => ({ about: null, sentence }))
  const check = async (about: string) => {
    const handle = temporal.schedule.getHandle(pollScheduleId(about))
    const open = async () => {
      const { info } = await handle.describe().catch(unscheduled)
      const asked = await db
        .selectFrom('reread as r')
        .innerJoin('integration as i', 'i.integration_id', 'r.integration_id')
        .select(['r.reference', 'r.attempts'])
        .where('r.integration_id', '=', about)
        // Rereads that were requested before a deactivation don't run after it.
        .where('i.status', '<>', 'INACTIVE')
        .execute()
      // A shard may have given back the lease although another poll is due, for example after a notification.
      const isDue = sql<boolean>`coalesce(next_poll_at <= now(), false) and status = 'SUCCESSFUL' and not paused`
      const polled = db
        .selectFrom('integration')
        .select(['lease_owner', isDue.as('due')])
        .where('integration_id', '=', about)
      const { lease_owner: owner, due } = await polled.executeTakeFirstOrThrow()
      return [
        ...info.runningActions.map(() => 'a running poll'),
        ...asked.map((one) => `${one.reference} is to be read, after ${one.attempts} attempts`),
        owner ?? [],
        due ? 'a poll that is due' : [],
      ].flat()
    }
    await until('nothing of it is open', open, { holds: (some) => some.length === 0 }).catch((error) =>
      left.push({ about, sentence: (error as Error).message }),
    )
  }
  await Promise.all(integrationIds.map(check))
  return left
}
