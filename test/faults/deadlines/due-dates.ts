import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { matches } from '../../../simulators/engine/match.ts'
import { COMMAND_STATES, SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import { byOwner } from '../../harness/database.ts'
import { reconcileNow } from '../../harness/rows.ts'
import { runOf } from '../../harness/runs.ts'
import { until } from '../../harness/until.ts'
import type { Act } from '../crash.ts'
import { endsTruly } from '../ends.ts'
import { resolveByDashboard } from '../ground/operator.ts'
import type { Dispute, Ground } from '../ground/prepare.ts'
import { requestOf } from '../ground/psps.ts'
import type { Subject } from '../ground/subject.ts'
import type { Step } from '../steps.ts'

/** Due dates that come within seconds, while commands are at work. */

const SECOND = 1_000
const REDUCED_SECONDS = 6
/** Beyond the seconds that a command gets before it is told as due soon. */
const QUIET_SECONDS = 60

export interface DueDates {
  reduced: boolean
  /** Whether the due date of those that are struck now has passed. */
  over(): boolean
  /** One instant, `seconds` from now, for all that are struck together. */
  arrange(ground: Ground, dispute: Dispute, seconds: number): Promise<void>
  /** Held past the due date. */
  pass: Act
  /** The PSP answers 503 until the due date is over and the dispute is lost for it. */
  away: Act
  check(ground: Ground, dispute: Dispute, step: Step): Promise<string[]>
}

/** The due dates of one run of the suite. `reduced`: they come sooner, and nobody waits for the escalation. */
export function openDueDates({ reduced = false }: { reduced?: boolean }): DueDates {
  const dues = new Map<string, Date>()
  let next: Date | null = null
  let pinned = false

  const passed = async (ground: Ground, subjects: readonly Subject[]) => {
    const due = next ?? new Date()
    if (!reduced) await escalate(ground, subjects).catch(() => undefined)
    await pause(Math.max(0, due.getTime() - Date.now()) + SECOND / 2)
    next = null
  }
  return {
    reduced,
    over: () => next !== null && Date.now() > next.getTime(),
    async arrange(ground, { chargebackId }, seconds) {
      if (!pinned) await pin(ground)
      pinned = true
      next ??= new Date(Date.now() + (reduced ? REDUCED_SECONDS : seconds) * SECOND)
      dues.set(chargebackId, next)
      await ground.stack.db.updateTable('chargeback').set({ due_date: next }).where('id', '=', chargebackId).execute()
    },
    async pass(ground, { release }, subjects) {
      await passed(ground, subjects)
      await release()
    },
    async away(ground, { release }, subjects) {
      const engines = Object.values(ground.engines)
      for (const { faults } of engines)
        faults.arm({ kind: '503_empty', left: 1_000_000, match: undefined, retryAfter: undefined, delayMs: 0 })
      await release()
      await passed(ground, subjects)
      for (const { dispute } of subjects) expire(ground, dispute)
      for (const { faults } of engines) faults.clear()
      await Promise.all(subjects.filter(cannotBeRead).map(({ dispute }) => resolveByDashboard(ground, dispute)))
    },
    async check(ground, dispute, { command }) {
      const due = dues.get(dispute.chargebackId)
      if (!due) return ['no due date was set']
      const why = await endsTruly(ground, dispute, command)
      const late = lateCalls(ground, dispute, command, due)
      if (late.length > 0) why.push(`I7: ${late.length} requests to ${command} after the due date: ${late.join(', ')}`)
      if (!reduced) why.push(...(await toldBefore(ground, dispute, due)))
      return why
    },
  }
}

/** Adyen does not say of a lost dispute whether an acceptance whose answer never came led to it (its BEHAVIOR.md). */
const cannotBeRead = ({ cell: { step }, dispute }: Subject) =>
  dispute.adapter === 'adyen' && step.command === 'acceptance'

/** A PSP whose due dates are whole days can't name one within seconds: what is set here stays, whatever it says. */
async function pin({ stack }: Ground): Promise<void> {
  await byOwner(
    stack.databaseUrl,
    sql`
    create or replace function keep_due_date() returns trigger language plpgsql as $$
      begin if old.due_date < now() + interval '1 hour' then new.due_date := old.due_date; end if; return new; end $$;
    create or replace trigger keep_due_date before update on chargeback for each row execute function keep_due_date()`,
  )
}

/** The grace passes, the reconciler comes by, and every run shows that time runs out. */
async function escalate(ground: Ground, subjects: readonly Subject[]): Promise<void> {
  const { db, temporal } = ground.stack
  const ids = subjects.map(({ dispute }) => dispute.chargebackId)
  await db
    .updateTable('command')
    .set({ requested_at: sql`requested_at - make_interval(secs => ${QUIET_SECONDS})` })
    .where('chargeback_id', 'in', ids)
    .execute()
  let asked = 0
  const commands = await until(
    'all are told as due soon',
    async () => {
      // One that came while the reconciler was at work, or in the second of another, is dropped without a word.
      if (Date.now() - asked > 2 * SECOND) {
        asked = Date.now()
        await reconcileNow(ground.stack)
      }
      return db.selectFrom('command').selectAll().where('chargeback_id', 'in', ids).execute()
    },
    { holds: (rows) => rows.length > 0 && rows.every((row) => row.due_soon_at !== null) },
  )
  await Promise.all(
    commands.map(async ({ command_id }) => {
      const id = await runOf(db, command_id)
      const state = async () =>
        (await temporal.workflow.getHandle(id).describe()).searchAttributes[SEARCH_ATTRIBUTES.CommandState.name]
      return until('its run shows it', state, { holds: (shown) => String(shown) === COMMAND_STATES.dueSoon })
    }),
  )
}

/** The PSP decides without an answer, as it does when its own date is over; two days are past for any PSP. */
function expire(ground: Ground, { adapter, reference }: Dispute): void {
  const engine = ground.engines[adapter]
  const record = engine.find(reference)
  if (!record) return
  engine.change(record, (dispute) => engine.profile.setDeadline(dispute, engine.now() - 2 * 86_400))
  engine.applyDue()
}

/** When the PSP heard of the command after its due date, by its own log. */
function lateCalls(ground: Ground, dispute: Dispute, command: Step['command'], due: Date): string[] {
  const match = requestOf(dispute.adapter, command === 'acceptance' ? 'accept' : 'submit', dispute.reference)
  if (!match) return []
  const { body: _, ...door } = match
  return ground.engines[dispute.adapter].ledger.calls
    .filter((call) => call.when > due.toISOString() && matches(door, call.method, call.path))
    .map((call) => call.when)
}

/** I7: timeline and log told of it before it was too late. */
async function toldBefore(ground: Ground, { chargebackId }: Dispute, due: Date): Promise<string[]> {
  const { db } = ground.stack
  const told = await db
    .selectFrom('timeline_event')
    .select('when')
    .where('chargeback_id', '=', chargebackId)
    .where('what', 'like', '% due soon and still open')
    .executeTakeFirst()
  const why: string[] = []
  if (!told) why.push('I7: nobody was told that it is due')
  else if (told.when >= due) why.push('I7: it was told after the due date only')
  const logged = ground.stack.lines().some((line) => line.includes('due soon') && line.includes(chargebackId))
  if (!logged) why.push('I7: the log does not tell of it')
  return why
}
