import { sql } from 'kysely'
import { until } from '../harness/until.ts'
import { type Cell, chanceOf, type Outcome, type Strike } from './cells.ts'
import { askUntilAnswered, type Client, watchCommands } from './clients.ts'
import type { Dispute, Ground } from './ground.ts'
import { allReached, type Held, holdAll, holdAt } from './holding.ts'
import { brokenBy } from './invariants/all.ts'
import { ACTS } from './victims.ts'

const REACH_MS = 30_000
const END_MS = 90_000

interface Subject {
  cell: Cell
  dispute: Dispute
  held: Held
  client?: Client
}

/**
 * One strike against commands at many steps of many adapters at once: each is a cell. They are asked for, held, struck,
 * let go, and judged after everything has come to rest.
 */
export async function strikeOnce(ground: Ground, strike: Strike, cells: readonly Cell[]): Promise<Outcome[]> {
  const t0 = Date.now()
  const T = (w: string) => process.env.TORTURE_TIMES && console.log('   ', w, Date.now() - t0)
  const chance = chanceOf(cells[0]?.seed ?? 1, strike)
  const watch = watchCommands(ground)
  const subjects: Subject[] = []
  for (const cell of cells) {
    const dispute = ground.take(cell.adapter)
    subjects.push({ cell, dispute, held: await holdAt(ground, cell.step, dispute) })
  }
  const ask = (some: readonly Subject[]) => {
    for (const one of some)
      one.client = askUntilAnswered(ground, one.dispute, `/chargebacks/${one.dispute.chargebackId}/accept`)
  }
  const aside = subjects.filter(({ cell }) => cell.step.hold.at === 'moment' && cell.step.hold.aside)
  if (aside.length > 0) {
    await leaveToRelay(ground, aside, () => ask(aside))
  }
  const locked = subjects.filter(({ cell }) => cell.step.hold.at === 'lock')
  const others = subjects.filter((one) => !aside.includes(one) && !locked.includes(one))
  ask(others)
  await allReached(
    others.map(({ held }) => held),
    REACH_MS,
  )
  // These take connections of the API's pool while they wait.
  ask(locked)
  const missing = await allReached(
    subjects.map(({ held }) => held),
    REACH_MS,
  )

  T('held')
  const ids = subjects.map(({ dispute }) => dispute.chargebackId)
  await ACTS[strike](ground, {
    chance,
    release: async () => void (await Promise.all(subjects.map(({ held }) => held.release()))),
    takenOver: () =>
      ended(
        ground,
        ids.filter((_, index) => !waitsForALock(subjects[index])),
      ).catch(() => undefined),
  })
  T('struck')
  await hurryOutbox(ground)
  const clients = subjects.flatMap(({ client }) => client ?? [])
  await Promise.race([
    Promise.all(clients.map(({ done }) => done)),
    new Promise((go) => setTimeout(go, 30_000).unref()),
  ])
  for (const client of clients) client.stop()
  T('answered')
  await hurryOutbox(ground)
  await ended(ground, ids).catch(() => undefined)
  T('ended')
  await watch.stop()
  const violations = await brokenBy({
    ground,
    command: 'acceptance',
    disputes: subjects.map((one) => one.dispute),
    clients,
    watch,
  })
  T('judged')
  return subjects.map(({ cell, dispute }, index) => {
    const why = violations
      .filter(({ chargebackId }) => chargebackId === null || chargebackId === dispute.chargebackId)
      .map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
    if (missing.has(index)) why.unshift('the command never came to this step')
    return { cell, result: why.length > 0 ? 'failed' : 'passed', why }
  })
}

/** Behind a row that the struck process or the harness holds: nobody can end it before that lets go. */
const waitsForALock = (subject: Subject | undefined) =>
  subject?.cell.step.hold.at === 'lock' || subject?.cell.step.key === 'during_projection'

/** Until every command has ended or is flagged. */
async function ended(ground: Ground, chargebackIds: readonly string[]): Promise<void> {
  await until('every command has ended', () => commandsOf(ground, chargebackIds), {
    holds: (rows) =>
      rows.filter(({ status }) => status === 'succeeded' || status === 'failed').length >= chargebackIds.length,
    timeoutMs: END_MS,
  })
}

/** The API makes no try of its own, and the relay takes all of them at once: its next batch waits for this one. */
async function leaveToRelay(ground: Ground, subjects: readonly Subject[], ask: () => void): Promise<void> {
  const [api, relay] = [ground.api, ground.worker].map((victim) => holdAll(victim, 'dispatch.before_claim'))
  await allReached(relay ? [relay] : [], REACH_MS)
  ask()
  const ids = subjects.map(({ dispute }) => dispute.chargebackId)
  await until('all of them are committed', () => commandsOf(ground, ids), {
    holds: (rows) => rows.length === ids.length,
  })
  await relay?.release()
  await allReached(
    subjects.map(({ held }) => held),
    REACH_MS,
  )
  await api?.release()
}

const commandsOf = (ground: Ground, chargebackIds: readonly string[]) =>
  ground.stack.db.selectFrom('command').select('status').where('chargeback_id', 'in', chargebackIds).execute()

/** The seconds pass for which a message is hidden after its relay took it and died. */
async function hurryOutbox(ground: Ground): Promise<void> {
  await until('the outbox is reachable', async () => {
    await sql`update outbox set next_attempt_at = now()`.execute(ground.stack.db)
    return true
  })
}
