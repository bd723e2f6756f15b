import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { DisputeRecord } from '../../../simulators/engine/contract.ts'
import { createDisputes } from '../../../simulators/engine/create.ts'
import { matches } from '../../../simulators/engine/match.ts'
import { reconcileNow } from '../../harness/rows.ts'
import { until } from '../../harness/until.ts'
import { allEnded, checkEnd } from '../ends.ts'
import type { HistoryRequest } from '../history.ts'
import { brokenBy } from '../invariants/all.ts'
import { decide } from '../notifications/notification-fixture.ts'
import { connectAccount, openAccount } from '../testbed/accounts.ts'
import { type Client, requestUntilDefinite, type Watch, watchCommands } from '../testbed/clients.ts'
import type { Connected } from '../testbed/connected.ts'
import { eventsOf, insist, tell } from '../testbed/deliveries.ts'
import { prepareFile } from '../testbed/documents.ts'
import { holdAbout } from '../testbed/holding.ts'
import { allPolled, askPolls } from '../testbed/polls.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'
import { requestOf } from '../testbed/psps.ts'

/** Seconds until the due date of the held command. */
const HELD_SECONDS = 6
const ROLES = ['accepted', 'contested', 'past', 'held', 'decided', 'spare'] as const
type Role = (typeof ROLES)[number]
type Actor = Dispute & { record: DisputeRecord }

/** Disputes of one account, each for one thing that a wrong clock could break. */
export interface ClockCase {
  connected: Connected
  disputes: Record<Role, Actor>
  clients: Client[]
  watch: Watch
  /** After this nothing may be sent about the held one. */
  heldUntil: Date
}

/** Processes with clocks that are off by `seconds` read them. Two are due within that time, one is overdue by less. */
export async function openFixture(testbed: Testbed, seconds: number): Promise<ClockCase> {
  const engine = testbed.engines.stripe
  const half = Math.abs(seconds) / 2
  const { account, disputes: records } = openAccount(testbed, 'stripe', {
    ...{ count: ROLES.length, status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200 },
  })
  for (const record of records.slice(0, 2))
    engine.change(record, (dispute) => engine.profile.setDeadline(dispute, engine.now() + half))
  const connected = await connectAccount(testbed, { adapter: 'stripe', account })
  const { integrationId } = connected
  const problems = await allPolled(testbed, [integrationId])
  if (problems.length > 0) throw new Error(problems.map(({ sentence }) => sentence).join('; '))
  const rows = await until(
    'all are stored and enriched',
    () =>
      testbed.stack.db
        .selectFrom('chargeback')
        .select(['id', 'chargeback_id'])
        .where('integration_id', '=', integrationId)
        .where('context_at', 'is not', null)
        .execute(),
    { holds: (some) => some.length === ROLES.length },
  )
  const actor = (index: number): Actor => {
    const record = records[index] as DisputeRecord
    const { reference } = record
    const chargebackId = rows.find((row) => row.chargeback_id === reference)?.id ?? ''
    return { adapter: 'stripe', reference, chargebackId, twoDocuments: false, record }
  }
  const disputes = Object.fromEntries(ROLES.map((role, index) => [role, actor(index)])) as ClockCase['disputes']
  await dueIn(testbed, disputes.past, -half)
  return { connected, disputes, clients: [], watch: watchCommands(testbed), heldUntil: new Date() }
}

const dueIn = ({ stack }: Testbed, { chargebackId }: Actor, seconds: number) =>
  sql`update chargeback set due_date = now() + make_interval(secs => ${seconds}) where id = ${chargebackId}`.execute(
    stack.db,
  )

/** Runs everything that depends on time concurrently. @returns violations */
export async function runCase(testbed: Testbed, fixture: ClockCase): Promise<string[]> {
  const { disputes } = fixture
  const why = await swept(testbed, disputes.past)
  const ask = (dispute: Dispute, asked: HistoryRequest) => {
    const client = requestUntilDefinite(testbed, dispute, asked)
    fixture.clients.push(client)
    return client
  }
  const fileId = await prepareFile(testbed, disputes.contested)
  ask(disputes.accepted, { kind: 'accept' })
  ask(disputes.contested, { kind: 'submit', fileId })
  const [parts] = await Promise.all([
    Promise.all([refusedAsPast(testbed, disputes.past), notified(testbed, fixture), listed(testbed, fixture)]),
    heldTooLong(testbed, fixture, ask),
  ])
  await Promise.race([Promise.all(fixture.clients.map(({ done }) => done)), pause(30_000)])
  for (const client of fixture.clients) client.stop()
  await allEnded(testbed, [disputes.accepted, disputes.contested, disputes.held]).catch(() => undefined)
  await fixture.watch.stop()
  return [...why, ...parts.flat()]
}

/** The reconciler closes the overdue chargeback. */
async function swept({ stack }: Testbed, past: Actor): Promise<string[]> {
  const status = async () => {
    const row = stack.db.selectFrom('chargeback').select('status').where('id', '=', past.chargebackId)
    return (await row.executeTakeFirstOrThrow()).status
  }
  await reconcileNow(stack)
  return until('the overdue chargeback is closed', status, { holds: (one) => one === 'not_represented' }).then(
    () => [],
    (error) => [`I7: ${(error as Error).message}`],
  )
}

async function refusedAsPast({ stack }: Testbed, { chargebackId }: Actor): Promise<string[]> {
  const { status, body } = await stack.call('POST', `/chargebacks/${chargebackId}/accept`)
  return status === 400 && body.code === 'overdue'
    ? []
    : [`I7: overdue, but the response is ${status} ${body.code ?? ''}`]
}

type Ask = (dispute: Dispute, asked: HistoryRequest) => Client

/** Its due date passes while it is held right before the call. */
async function heldTooLong(testbed: Testbed, fixture: ClockCase, ask: Ask): Promise<void> {
  const { held } = fixture.disputes
  await dueIn(testbed, held, HELD_SECONDS)
  fixture.heldUntil = new Date(Date.now() + HELD_SECONDS * 1_000)
  const stop = holdAbout(testbed.worker, 'accept.before_call', held.chargebackId)
  const client = ask(held, { kind: 'accept' })
  await client.done
  await pause(fixture.heldUntil.getTime() - Date.now() + 500)
  // On a busy machine it may get there too late and be refused earlier: nothing may be sent either way.
  await stop.release()
}

/** A delivery signed now is accepted, one signed within the shift is refused, and the PSP's decision is read. */
async function notified(testbed: Testbed, { connected, disputes }: ClockCase): Promise<string[]> {
  const { decided } = disputes
  decide({ testbed, connected, disputes: [], reduced: false }, decided.record, 'won')
  const events = eventsOf(testbed, connected, [decided.reference]).slice(-1)
  const why: string[] = []
  for (const event of events)
    for (const age of [1_800, -1_800]) {
      const status = await tell(testbed, connected, event, { age })
      if (status !== 401) why.push(`a delivery signed ${age} s ago returned ${status}`)
    }
  why.push(...(await insist(testbed, connected, events)))
  const { db } = testbed.stack
  const read = () =>
    db.selectFrom('chargeback').select('psp_status').where('id', '=', decided.chargebackId).executeTakeFirstOrThrow()
  await until('the PSP’s decision is stored', read, { holds: (row) => row.psp_status === 'won' }).catch((error) =>
    why.push(`I1: ${(error as Error).message}`),
  )
  return why
}

/** The next poll stores a new dispute. */
async function listed(testbed: Testbed, { connected }: ClockCase): Promise<string[]> {
  const { integrationId, account } = connected
  const order = { account, count: 1, status: 'needs_response', stage: 'chargeback', ageDays: 0.01 }
  const reference = createDisputes(testbed.engines.stripe, order)[0]?.reference ?? ''
  let asked = 0
  const found = async () => {
    // The later of two poll requests within a second is dropped silently; the next interval would make up for it.
    if (Date.now() - asked > 2_000) {
      asked = Date.now()
      await askPolls(testbed, [integrationId])
    }
    return testbed.stack.db.selectFrom('chargeback').select('id').where('chargeback_id', '=', reference).execute()
  }
  return until('the new dispute is stored', found, { holds: (rows) => rows.length === 1 }).then(
    () => [],
    (error) => [`I1: ${(error as Error).message}`],
  )
}

/** No command is refused before its due date, none is sent after it, and each ends as the PSP shows. */
export async function checkCase(testbed: Testbed, fixture: ClockCase): Promise<string[]> {
  const { disputes, clients, watch, heldUntil } = fixture
  const about = (command: 'acceptance' | 'submission', dispute: Dispute) =>
    brokenBy({ testbed, command, disputes: [dispute], clients, watch, refusable: new Set() })
  const found = [
    ...(await about('acceptance', disputes.accepted)),
    ...(await about('submission', disputes.contested)),
  ].map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
  const { ledger } = testbed.engines.stripe
  const pattern = requestOf('stripe', 'accept', disputes.held.reference)
  const calls = ledger.calls.filter((call) => pattern && matches(pattern, call.method, call.path))
  for (const { when } of calls) if (when > heldUntil.toISOString()) found.push(`I7: sent after the due date, ${when}`)
  const sent = ledger.effects.filter(({ ref }) => ref === disputes.past.reference)
  if (sent.length > 0) found.push('I7: something was sent although it was overdue')
  return [...found, ...(await checkEnd(testbed, disputes.held, 'acceptance'))]
}
