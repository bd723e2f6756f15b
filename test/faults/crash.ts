import { sql } from 'kysely'
import { until } from '../harness/until.ts'
import { type Cell, chanceOf, type FaultName, needsFree, type Outcome } from './cells.ts'
import { allEnded, commandsOf } from './ends.ts'
import { condensed, type HistoryRequest, linesOf, openHistory } from './history.ts'
import { brokenBy } from './invariants/all.ts'
import { nothingLeft } from './invariants/leftovers.ts'
import type { Violation } from './invariants/violation.ts'
import { storyOf } from './report/story.ts'
import { type Client, requestUntilDefinite, watchCommands } from './testbed/clients.ts'
import { historiesTrue, prepareRivals, readAll } from './testbed/concurrent-clients.ts'
import { prepareFile } from './testbed/documents.ts'
import type { Afterwards, FaultOptions, Wrong } from './testbed/fault-action.ts'
import { allReached, holdAll, holdAt } from './testbed/holding.ts'
import type { Testbed } from './testbed/prepare.ts'
import type { Subject } from './testbed/subject.ts'
import { FAULT_ACTIONS } from './testbed/victims.ts'

const END_MS = 90_000

/** Injects a fault while all commands are held. Ends when everything runs again and all are released. */
export type Act = (
  testbed: Testbed,
  options: FaultOptions,
  subjects: readonly Subject[],
) => Promise<Afterwards | undefined>

/**
 * One fault against commands at many steps of many adapters at once; each command is a cell. Requests and holds them,
 * injects the fault, releases them, and checks them when everything has finished.
 */
export async function runCells(testbed: Testbed, cells: readonly Cell[], act?: Act): Promise<Outcome[]> {
  const [first] = cells
  if (!first) return []
  const chance = chanceOf(first.seed, first.strike)
  const watch = watchCommands(testbed)
  const subjects = await Promise.all(cells.map((cell) => prepare(testbed, cell)))
  const files = await filesFor(testbed, subjects)
  const later = await prepareRivals(testbed, subjects, files)
  const ask = (some: readonly Subject[]) => {
    for (const one of some) one.client = askFor(testbed, one, files.get(one))
  }
  for (const { cell, dispute } of subjects) await cell.arrange?.(testbed, dispute)
  const missing = await reachSteps(testbed, subjects, ask)
  // Not earlier: nothing else should slow them down while they all start at once.
  const readers = readAll(testbed, subjects)
  const rivals = await later.send(missing)
  const strike = act ?? FAULT_ACTIONS[first.strike as FaultName]
  const connections = [...new Set(cells.map(({ adapter }) => adapter))].flatMap(
    (one) => testbed.connections.get(one) ?? [],
  )
  const options = {
    chance,
    about: connections,
    disputes: subjects.map(({ dispute }) => dispute),
    free: cells.filter(needsFree).map(({ adapter }) => testbed.take(adapter)),
    release: async () => void (await Promise.all(subjects.map(({ held }) => held.release()))),
    takenOver: () => ended(testbed, subjects.filter(canBeTakenOver)).catch(() => undefined),
  }
  const afterwards = await strike(testbed, options, subjects)
  await hurryOutbox(testbed)
  const clients = subjects.flatMap(({ client }) => client ?? [])
  await Promise.race([
    Promise.all([...clients, ...rivals].map(({ done }) => done)),
    new Promise((go) => setTimeout(go, 30_000).unref()),
  ])
  for (const client of [...clients, ...rivals]) client.stop()
  await hurryOutbox(testbed)
  await ended(testbed, subjects).catch(() => undefined)
  await Promise.all([watch.stop(), readers.stop()])
  const violations: Violation[] = historiesTrue(testbed, subjects)
  for (const command of ['acceptance', 'submission'] as const) {
    const own = subjects.filter(({ cell }) => cell.step.command === command)
    const refusable = new Set(own.filter(({ cell }) => cell.mayFail).map(({ dispute }) => dispute.chargebackId))
    const disputes = own.map(({ dispute }) => dispute)
    const evidence = { testbed, command, disputes, clients, watch, refusable }
    if (own.length === 0) continue
    violations.push(...(own.every(({ cell }) => cell.alone) ? await nothingLeft(evidence) : await brokenBy(evidence)))
  }
  const wrong = (await afterwards?.()) ?? []
  const outcomeOf = async (subject: Subject): Promise<Outcome> => {
    const about = [null, subject.dispute.chargebackId]
    const why = violations
      .filter(({ chargebackId }) => about.includes(chargebackId))
      .map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
    why.push(...((await subject.cell.check?.(testbed, subject.dispute)) ?? []))
    why.push(...wrong.filter((one) => isAbout(one, subject)).map(({ sentence }) => sentence))
    if (missing.has(subject)) why.unshift('the command never reached this step')
    if (why.length === 0) return { cell: subject.cell, result: 'passed', why }
    const requests = linesOf(condensed(subject.history.operations))
    return {
      cell: subject.cell,
      result: 'failed',
      why,
      story: [...(await storyOf(testbed, subject.dispute)), ...requests],
    }
  }
  return Promise.all(subjects.map(outcomeOf))
}

const isAbout = ({ adapter, chargebackId }: Wrong, { dispute }: Subject) =>
  (adapter === null || adapter === dispute.adapter) && (chargebackId ?? dispute.chargebackId) === dispute.chargebackId

async function prepare(testbed: Testbed, cell: Cell): Promise<Subject> {
  const dispute = testbed.take(cell.adapter, cell.step)
  const held = await holdAt(testbed, cell.step, dispute)
  const reached = async () => (await held.reached()) || (cell.mayMiss?.() ?? false)
  return { cell, dispute, held: { ...held, reached }, client: null, history: openHistory() }
}

/** One after the other: the API accepts few uploads at once. */
async function filesFor(testbed: Testbed, subjects: readonly Subject[]): Promise<Map<Subject, string>> {
  const files = new Map<Subject, string>()
  for (const one of subjects)
    if (one.cell.step.command === 'submission') files.set(one, await prepareFile(testbed, one.dispute))
  return files
}

function askFor(testbed: Testbed, { dispute, history }: Subject, fileId: string | undefined): Client {
  const asked: HistoryRequest = fileId === undefined ? { kind: 'accept' } : { kind: 'submit', fileId }
  return requestUntilDefinite(testbed, dispute, asked, { history })
}

/**
 * Requests all commands in an order in which each one stops at its step: those that the relay starts while the API is
 * held, then those that the API starts while the relay is held, last those that are held within a transaction.
 * @returns those that never reached their step
 */
async function reachSteps(
  testbed: Testbed,
  subjects: readonly Subject[],
  ask: (some: readonly Subject[]) => void,
): Promise<Set<Subject>> {
  const by = (who: string) => subjects.filter(({ cell: { step } }) => step.hold.at === 'point' && step.hold.by === who)
  const [relayed, started] = [by('relay'), by('api')]
  // No command can be held for long within a transaction: repeated requests wait for it, each with a connection.
  const locked = subjects.filter((one) => !canBeTakenOver(one) && one.cell.step.hold.at !== 'wire')
  const relay = holdAll(testbed.worker, 'dispatch.before_claim')
  await allReached([{ held: relay }])
  if (relayed.length > 0) {
    const api = holdAll(testbed.api, 'dispatch.before_claim')
    ask(relayed)
    await until(
      'all of them are committed',
      () =>
        commandsOf(
          testbed,
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
  const others = holdAll(testbed.worker, 'dispatch.before_claim')
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
export async function ended(testbed: Testbed, subjects: readonly Subject[]): Promise<void> {
  // A refused client has no command.
  const asked = subjects.filter(({ client }) => (client?.statuses.at(-1) ?? 0) < 400)
  if (asked.length === 0) return
  await allEnded(
    testbed,
    asked.map(({ dispute }) => dispute),
    END_MS,
  )
}

/** Makes all outbox messages due, also those that are hidden for seconds because their relay claimed them and died. */
export async function hurryOutbox(testbed: Testbed): Promise<void> {
  await until('the outbox is reachable', async () => {
    await sql`update outbox set next_attempt_at = now()`.execute(testbed.stack.db)
    return true
  })
}
