import { sql } from 'kysely'
import { until } from '../harness/until.ts'
import { type Cell, chanceOf, needsFree, type Outcome, type Strike } from './cells.ts'
import { allEnded, commandsOf } from './ends.ts'
import { askUntilAnswered, type Client, watchCommands } from './ground/clients.ts'
import { prepareFile } from './ground/documents.ts'
import { allReached, holdAll, holdAt } from './ground/holding.ts'
import type { Ground } from './ground/prepare.ts'
import type { Afterwards, StrikeOptions, Wrong } from './ground/strike-act.ts'
import type { Subject } from './ground/subject.ts'
import { ACTS } from './ground/victims.ts'
import { historiesTrue, prepareRivals, readAll } from './ground/witnesses.ts'
import { type Asked, condensed, linesOf, openHistory } from './history.ts'
import { brokenBy } from './invariants/all.ts'
import { nothingLeft } from './invariants/leftovers.ts'
import type { Violation } from './invariants/violation.ts'
import { storyOf } from './report/story.ts'

const END_MS = 90_000

/** Injects a fault while all commands are held. Ends when everything runs again and all are released. */
export type Act = (
  ground: Ground,
  options: StrikeOptions,
  subjects: readonly Subject[],
) => Promise<Afterwards | undefined>

/**
 * One fault against commands at many steps of many adapters at once; each command is a cell. Requests and holds them,
 * injects the fault, releases them, and checks them when everything has finished.
 */
export async function strikeOnce(ground: Ground, cells: readonly Cell[], act?: Act): Promise<Outcome[]> {
  const [first] = cells
  if (!first) return []
  const chance = chanceOf(first.seed, first.strike)
  const watch = watchCommands(ground)
  const subjects = await Promise.all(cells.map((cell) => prepare(ground, cell)))
  const files = await filesFor(ground, subjects)
  const later = await prepareRivals(ground, subjects, files)
  const ask = (some: readonly Subject[]) => {
    for (const one of some) one.client = askFor(ground, one, files.get(one))
  }
  for (const { cell, dispute } of subjects) await cell.arrange?.(ground, dispute)
  const missing = await reachSteps(ground, subjects, ask)
  // Not earlier: nothing else should slow them down while they all start at once.
  const readers = readAll(ground, subjects)
  const rivals = await later.send(missing)
  const strike = act ?? ACTS[first.strike as Strike]
  const connections = [...new Set(cells.map(({ adapter }) => adapter))].flatMap(
    (one) => ground.connections.get(one) ?? [],
  )
  const options = {
    chance,
    about: connections,
    disputes: subjects.map(({ dispute }) => dispute),
    free: cells.filter(needsFree).map(({ adapter }) => ground.take(adapter)),
    release: async () => void (await Promise.all(subjects.map(({ held }) => held.release()))),
    takenOver: () => ended(ground, subjects.filter(canBeTakenOver)).catch(() => undefined),
  }
  const afterwards = await strike(ground, options, subjects)
  await hurryOutbox(ground)
  const clients = subjects.flatMap(({ client }) => client ?? [])
  await Promise.race([
    Promise.all([...clients, ...rivals].map(({ done }) => done)),
    new Promise((go) => setTimeout(go, 30_000).unref()),
  ])
  for (const client of [...clients, ...rivals]) client.stop()
  await hurryOutbox(ground)
  await ended(ground, subjects).catch(() => undefined)
  await Promise.all([watch.stop(), readers.stop()])
  const violations: Violation[] = historiesTrue(ground, subjects)
  for (const command of ['acceptance', 'submission'] as const) {
    const own = subjects.filter(({ cell }) => cell.step.command === command)
    const refusable = new Set(own.filter(({ cell }) => cell.mayFail).map(({ dispute }) => dispute.chargebackId))
    const disputes = own.map(({ dispute }) => dispute)
    const evidence = { ground, command, disputes, clients, watch, refusable }
    if (own.length === 0) continue
    violations.push(...(own.every(({ cell }) => cell.alone) ? await nothingLeft(evidence) : await brokenBy(evidence)))
  }
  const wrong = (await afterwards?.()) ?? []
  const outcomeOf = async (subject: Subject): Promise<Outcome> => {
    const about = [null, subject.dispute.chargebackId]
    const why = violations
      .filter(({ chargebackId }) => about.includes(chargebackId))
      .map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
    why.push(...((await subject.cell.check?.(ground, subject.dispute)) ?? []))
    why.push(...wrong.filter((one) => isAbout(one, subject)).map(({ sentence }) => sentence))
    if (missing.has(subject)) why.unshift('the command never reached this step')
    if (why.length === 0) return { cell: subject.cell, result: 'passed', why }
    const requests = linesOf(condensed(subject.history.operations))
    return {
      cell: subject.cell,
      result: 'failed',
      why,
      story: [...(await storyOf(ground, subject.dispute)), ...requests],
    }
  }
  return Promise.all(subjects.map(outcomeOf))
}

const isAbout = ({ adapter, chargebackId }: Wrong, { dispute }: Subject) =>
  (adapter === null || adapter === dispute.adapter) && (chargebackId ?? dispute.chargebackId) === dispute.chargebackId

async function prepare(ground: Ground, cell: Cell): Promise<Subject> {
  const dispute = ground.take(cell.adapter, cell.step)
  const held = await holdAt(ground, cell.step, dispute)
  const reached = async () => (await held.reached()) || (cell.mayMiss?.() ?? false)
  return { cell, dispute, held: { ...held, reached }, client: null, history: openHistory() }
}

/** One after the other: the API accepts few uploads at once. */
async function filesFor(ground: Ground, subjects: readonly Subject[]): Promise<Map<Subject, string>> {
  const files = new Map<Subject, string>()
  for (const one of subjects)
    if (one.cell.step.command === 'submission') files.set(one, await prepareFile(ground, one.dispute))
  return files
}

function askFor(ground: Ground, { dispute, history }: Subject, fileId: string | undefined): Client {
  const asked: Asked = fileId === undefined ? { kind: 'accept' } : { kind: 'submit', fileId }
  return askUntilAnswered(ground, dispute, asked, { history })
}

/**
 * Requests all commands in an order in which each one stops at its step: those that the relay starts while the API is
 * held, then those that the API starts while the relay is held, last those that are held within a transaction.
 * @returns those that never reached their step
 */
async function reachSteps(
  ground: Ground,
  subjects: readonly Subject[],
  ask: (some: readonly Subject[]) => void,
): Promise<Set<Subject>> {
  const by = (who: string) => subjects.filter(({ cell: { step } }) => step.hold.at === 'point' && step.hold.by === who)
  const [relayed, started] = [by('relay'), by('api')]
  // No command can be held for long within a transaction: repeated requests wait for it, each with a connection.
  const locked = subjects.filter((one) => !canBeTakenOver(one) && one.cell.step.hold.at !== 'wire')
  const relay = holdAll(ground.worker, 'dispatch.before_claim')
  await allReached([{ held: relay }])
  if (relayed.length > 0) {
    const api = holdAll(ground.api, 'dispatch.before_claim')
    ask(relayed)
    await until(
      'all of them are committed',
      () =>
        commandsOf(
          ground,
          relayed.map(({ dispute }) => dispute),
        ),
      {
        holds: (rows) => rows.length === relayed.length,
      },
    ).catch(() => undefined)
    // The relay claims all of them in one batch, and its next batch waits for this one.
    await relay.release()
    await allReached(relayed)
    await api.release()
  }
  // The relay is still busy with those, or held. Hold the reconciler as well: it claims due messages, too.
  const others = holdAll(ground.worker, 'dispatch.before_claim')
  ask(started)
  await allReached(started)
  await others.release()
  ask(subjects.filter((one) => ![relayed, started, locked].some((group) => group.includes(one))))
  await allReached(subjects.filter((one) => !locked.includes(one)))
  ask(locked)
  return allReached(subjects)
}

/** Neither waits for a row that the harness or the faulted process has locked, nor is in flight at the PSP. */
const canBeTakenOver = ({ cell: { step } }: Subject) =>
  step.hold.at === 'point' && !step.hold.point.endsWith('.during_record')

/** Waits until every command has ended. */
export async function ended(ground: Ground, subjects: readonly Subject[]): Promise<void> {
  // A refused client has no command.
  const asked = subjects.filter(({ client }) => (client?.answers.at(-1) ?? 0) < 400)
  if (asked.length === 0) return
  await allEnded(
    ground,
    asked.map(({ dispute }) => dispute),
    END_MS,
  )
}

/** Makes all outbox messages due, also those that are hidden for seconds because their relay claimed them and died. */
export async function hurryOutbox(ground: Ground): Promise<void> {
  await until('the outbox is reachable', async () => {
    await sql`update outbox set next_attempt_at = now()`.execute(ground.stack.db)
    return true
  })
}
