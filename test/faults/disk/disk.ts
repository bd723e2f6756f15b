import { setTimeout as pause } from 'node:timers/promises'
import { randomPdf } from '../../harness/sample-files.ts'
import { until } from '../../harness/until.ts'
import { hurryOutbox } from '../crash.ts'
import { allEnded } from '../ends.ts'
import { brokenBy } from '../invariants/all.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { connectAccount, disconnect, openAccount } from '../testbed/accounts.ts'
import { watchCommands } from '../testbed/clients.ts'
import { prepareFile } from '../testbed/documents.ts'
import { holdAbout } from '../testbed/holding.ts'
import { allPolled, spareEnrichment } from '../testbed/polls.ts'
import { type Dispute, startTestbed, type Testbed } from '../testbed/prepare.ts'
import { type Demands, openDemands } from './demands.ts'
import { POSTGRES_SHORTAGES } from './postgres-shortages.ts'
import { PROCESS_SHORTAGES } from './process-shortages.ts'
import type { OpenShortage, Shortage } from './shortage.ts'
import { type Supervisor, supervise } from './supervisor.ts'

/** Shortest duration of a shortage, and the longest if it has no effect: a heap may have room for a while. */
const LASTS_MS = { least: 4_000, most: 20_000 }
const END_MS = 60_000
/** New disputes at the PSP: a page of them doesn't fit into the remaining space. */
const DISPUTES = 80
/** A process may manage with the connections and memory that it has: then its cell is skipped with this reason. */
const UNTOUCHED = 'it had enough left: the shortage had no effect'
/** Approximate bytes of an uploaded file. */
const FILE_BYTES = 400_000

const SHORTAGES: [string, Shortage][] = Object.entries({ ...PROCESS_SHORTAGES, ...POSTGRES_SHORTAGES })

/** Shortages while a page is about to be written, commands are requested and a file is uploaded. */
export async function runShortages(
  { cell, reduced, adapters, print }: SuiteOptions,
  left: (testbed: Testbed, print: SuiteOptions['print']) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const wanted = SHORTAGES.filter(([key]) => (cell ? key === cell : !reduced))
  if (cell && wanted.length === 0) throw new Error(`there is no cell ${cell}`)
  if (wanted.length === 0 || (adapters && !adapters.includes('stripe'))) return []
  const outcomes: SuiteOutcome[] = []
  const possible: [string, Shortage][] = []
  for (const [key, shortage] of wanted) {
    const missing = shortage.missing()
    if (missing === null) possible.push([key, shortage])
    else outcomes.push(outcomeOf(key, shortage, 'skipped', [missing]))
    if (missing !== null) print?.(`  ${key}: skipped, ${missing}`)
  }
  if (possible.length === 0) return outcomes
  await using testbed = await startTestbed({ disputes: { stripe: possible.length * 2 } })
  await spareEnrichment(testbed)
  for (const [key, shortage] of possible) {
    const began = Date.now()
    const why = await runCell(testbed, shortage).catch((error) => [(error as Error).message.slice(0, 400)])
    print?.(`  ${key}: ${why.join('; ') || 'accepted or refused cleanly, none lost'}, ${Date.now() - began} ms`)
    const untouched = why.length === 1 && why[0] === UNTOUCHED
    outcomes.push(outcomeOf(key, shortage, untouched ? 'skipped' : why.length > 0 ? 'failed' : 'passed', why))
  }
  return [...outcomes, ...(await left(testbed, print))]
}

async function runCell(testbed: Testbed, shortage: Shortage): Promise<string[]> {
  const [accepted, contested] = [testbed.take('stripe'), testbed.take('stripe')]
  const fileId = await prepareFile(testbed, contested)
  const open = await shortage.open(testbed)
  try {
    return await runShortage(testbed, shortage, open, { accepted, contested, fileId })
  } finally {
    await open.end()
    await open.close?.()
  }
}

interface Subjects {
  accepted: Dispute
  contested: Dispute
  fileId: string
}

async function runShortage(
  testbed: Testbed,
  shortage: Shortage,
  open: OpenShortage,
  { accepted, contested, fileId }: Subjects,
): Promise<string[]> {
  const { account } = openAccount(testbed, 'stripe', { count: DISPUTES })
  let held: ReturnType<typeof holdAbout> | undefined
  const connected = await connectAccount(testbed, { adapter: 'stripe', account }, async (_, integrationId) => {
    held = holdAbout(testbed.worker, 'poll.before_page', integrationId)
  })
  await until('a page is about to be written', () => held?.reached())
  await using supervisor = supervise(testbed)
  const demands = openDemands(testbed, shortage.mute ?? false)
  const signs = signsFromNow(testbed, supervisor, demands)
  const hasEffect = () => signs().some((sign) => shortage.shows.test(sign))
  await open.begin()
  const watch = watchCommands(testbed)
  const clients = [demands.ask(accepted, 'accept'), demands.ask(contested, 'evidence/submit', { fileId })]
  const upload = demands.upload(randomPdf(FILE_BYTES))
  await held?.release()
  await pause(LASTS_MS.least)
  await until('the shortage has an effect', hasEffect, { timeoutMs: LASTS_MS.most - LASTS_MS.least }).catch(
    () => undefined,
  )
  await open.end()
  supervisor.allowPostgres()
  const all = Promise.all([upload, ...clients].map(({ done }) => done)).then(() => true)
  const finished = await Promise.race([all, pause(END_MS).then(() => false)])
  for (const one of [upload, ...clients]) one.stop()
  const why = finished ? [] : ['I3: a client got no response although the shortage is over']
  await hurryOutbox(testbed)
  await allEnded(testbed, [accepted, contested], END_MS).catch(() => undefined)
  why.push(...(await allPolled(testbed, [connected.integrationId])).map(({ sentence }) => `I1: ${sentence}`))
  await watch.stop()
  const evidence = { testbed, clients, watch, refusable: new Set<string>() }
  const broken = [
    ...(await brokenBy({ ...evidence, command: 'acceptance', disputes: [accepted] })),
    ...(await brokenBy({ ...evidence, command: 'submission', disputes: [contested] })),
  ].map(({ invariant, sentence }) => `${invariant}: ${sentence}`)
  const opened = await nothingOpen(testbed, [connected.integrationId])
  const result = [
    ...why,
    ...demands.unclean(),
    ...(hasEffect() ? [] : [UNTOUCHED]),
    ...new Set(broken),
    ...opened.map(({ sentence }) => `I14: ${sentence}`),
    ...(await ingestedTrue(testbed, connected)),
  ]
  await disconnect(testbed, [connected.integrationId])
  return result
}

/** What API and worker log from now on, who died, and whether a client got no response. */
function signsFromNow({ stack }: Testbed, supervisor: Supervisor, demands: Demands): () => string[] {
  const before = new Map([...stack.apis, ...stack.workers].map((child) => [child.pid, child.lines.length]))
  return () => [
    ...[...stack.apis, ...stack.workers].flatMap(({ pid, lines }) => lines.slice(before.get(pid) ?? 0)),
    ...[...supervisor.died()].map((who) => `died: ${who}`),
    ...(demands.unanswered() > 0 ? ['unanswered'] : []),
  ]
}

const outcomeOf = (
  name: string,
  { who, title }: Shortage,
  result: SuiteOutcome['result'],
  why: string[],
): SuiteOutcome => ({
  ...{ name, title: `${who}: ${title}`, result, why },
})
