import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { matches } from '../../../simulators/engine/match.ts'
import { COMMAND_STATES, SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import { byOwner } from '../../harness/database.ts'
import { reconcileNow } from '../../harness/rows.ts'
import { runOf } from '../../harness/runs.ts'
import { until } from '../../harness/until.ts'
import type { Act } from '../crash.ts'
import { checkEnd } from '../ends.ts'
import type { Step } from '../steps.ts'
import { resolveByDashboard } from '../testbed/operator.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { requestOf } from '../testbed/psps.ts'
import type { Subject } from '../testbed/subject.ts'

/** Due dates that pass within seconds, while commands are running. */

const SECOND = 1_000
const REDUCED_SECONDS = 6
/** More than the grace period after which a command is reported as due soon. */
const QUIET_SECONDS = 60

export interface DueDates {
  reduced: boolean
  /** Whether the due date of the current group has passed. */
  over(): boolean
  /** Sets one due date, `seconds` from now, for all cells of a group. */
  arrange(testbed: Testbed, dispute: Dispute, seconds: number): Promise<void>
  /** Holds the commands past the due date. */
  pass: Act
  /** The PSP responds 503 until the due date has passed and it has closed the dispute as lost. */
  away: Act
  check(testbed: Testbed, dispute: Dispute, step: Step): Promise<string[]>
}

/** The due dates of one run of the suite. `reduced`: they pass sooner, and the escalation is not awaited. */
export function openDueDates({ reduced = false }: { reduced?: boolean }): DueDates {
  const dues = new Map<string, Date>()
  let next: Date | null = null
  let pinned = false

  const passed = async (testbed: Testbed, subjects: readonly Subject[]) => {
    const due = next ?? new Date()
    if (!reduced) await escalate(testbed, subjects).catch(() => undefined)
    await pause(Math.max(0, due.getTime() - Date.now()) + SECOND / 2)
    next = null
  }
  return {
    reduced,
    over: () => next !== null && Date.now() > next.getTime(),
    async arrange(testbed, { chargebackId }, seconds) {
      if (!pinned) await pin(testbed)
      pinned = true
      next ??= new Date(Date.now() + (reduced ? REDUCED_SECONDS : seconds) * SECOND)
      dues.set(chargebackId, next)
      await testbed.stack.db.updateTable('chargeback').set({ due_date: next }).where('id', '=', chargebackId).execute()
    },
    async pass(testbed, { release }, subjects) {
      await passed(testbed, subjects)
      await release()
    },
    async away(testbed, { release }, subjects) {
      const engines = Object.values(testbed.engines)
      for (const { faults } of engines)
        faults.arm({ kind: '503_empty', left: 1_000_000, match: undefined, retryAfter: undefined, delayMs: 0 })
      await release()
      await passed(testbed, subjects)
      for (const { dispute } of subjects) expire(testbed, dispute)
      for (const { faults } of engines) faults.clear()
      await Promise.all(subjects.filter(cannotBeRead).map(({ dispute }) => resolveByDashboard(testbed, dispute)))
    },
    async check(testbed, dispute, { command }) {
      const due = dues.get(dispute.chargebackId)
      if (!due) return ['no due date was set']
      const why = await checkEnd(testbed, dispute, command)
      const late = lateCalls(testbed, dispute, command, due)
      if (late.length > 0) why.push(`I7: ${late.length} requests to ${command} after the due date: ${late.join(', ')}`)
      if (!reduced) why.push(...(await reportedBefore(testbed, dispute, due)))
      return why
    },
  }
}

/** Adyen does not say whether a dispute was lost by an acceptance whose response never arrived (its BEHAVIOR.md). */
const cannotBeRead = ({ cell: { step }, dispute }: Subject) =>
  dispute.adapter === 'adyen' && step.command === 'acceptance'

/** Keeps the due dates that the test sets: a PSP whose due dates are whole days can't name one within seconds. */
async function pin({ stack }: Testbed): Promise<void> {
  await byOwner(
    stack.databaseUrl,
    sql`
    create or replace function keep_due_date() returns trigger language plpgsql as $$
      begin if old.due_date < now() + interval '1 hour' then new.due_date := old.due_date; end if; return new; end $$;
    create or replace trigger keep_due_date before update on chargeback for each row execute function keep_due_date()`,
  )
}

/** Lets the grace period pass and reconciles, until every workflow run shows that its command is due soon. */
async function escalate(testbed: Testbed, subjects: readonly Subject[]): Promise<void> {
  const { db, temporal } = testbed.stack
  const ids = subjects.map(({ dispute }) => dispute.chargebackId)
  await db
    .updateTable('command')
    .set({ requested_at: sql`requested_at - make_interval(secs => ${QUIET_SECONDS})` })
    .where('chargeback_id', 'in', ids)
    .execute()
  let asked = 0
  const commands = await until(
    'all are reported as due soon',
    async () => {
      // A request while the reconciler runs, or within a second of another one, is dropped silently.
      if (Date.now() - asked > 2 * SECOND) {
        asked = Date.now()
        await reconcileNow(testbed.stack)
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

/** The PSP closes the dispute without a response, as after its own due date; two days ago is past for any PSP. */
function expire(testbed: Testbed, { adapter, reference }: Dispute): void {
  const engine = testbed.engines[adapter]
  const record = engine.find(reference)
  if (!record) return
  engine.change(record, (dispute) => engine.profile.setDeadline(dispute, engine.now() - 2 * 86_400))
  engine.applyDue()
}

/** Times of the command's calls after its due date, by the PSP's own log. */
function lateCalls(testbed: Testbed, dispute: Dispute, command: Step['command'], due: Date): string[] {
  const match = requestOf(dispute.adapter, command === 'acceptance' ? 'accept' : 'submit', dispute.reference)
  if (!match) return []
  const { body: _, ...pattern } = match
  return testbed.engines[dispute.adapter].ledger.calls
    .filter((call) => call.when > due.toISOString() && matches(pattern, call.method, call.path))
    .map((call) => call.when)
}

/** I7: timeline and log reported it before the due date. */
async function reportedBefore(testbed: Testbed, { chargebackId }: Dispute, due: Date): Promise<string[]> {
  const { db } = testbed.stack
  const event = await db
    .selectFrom('timeline_event')
    .select('when')
    .where('chargeback_id', '=', chargebackId)
    .where('what', 'like', '% due soon and still open')
    .executeTakeFirst()
  const why: string[] = []
  if (!event) why.push('I7: no timeline event says that it is due soon')
  else if (event.when >= due) why.push('I7: the timeline reported it only after the due date')
  const logged = testbed.stack.lines().some((line) => line.includes('due soon') && line.includes(chargebackId))
  if (!logged) why.push('I7: the log does not report it')
  return why
}
