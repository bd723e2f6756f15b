import {
  type Cell,
  chanceOf,
  type FaultName,
  isWanted,
  nameOf,
  type Outcome,
  type Selection,
  STRIKES,
  seedsOf,
} from '../cells.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import { connectAccount, disconnect, openAccount } from '../testbed/accounts.ts'
import type { Connected } from '../testbed/connected.ts'
import { allReached, type Held, holdAbout } from '../testbed/holding.ts'
import { fillInbox } from '../testbed/inbox.ts'
import { allPolled, readAgain, refuse, refuseNothing, spareEnrichment } from '../testbed/polls.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import { ADAPTERS, type AdapterName } from '../testbed/psps.ts'
import { FAULT_ACTIONS } from '../testbed/victims.ts'
import { POLL_STEPS, type PollStep } from './ingestion-steps.ts'
import { holdPollRequest } from './poll-requests.ts'

/** Faults that can hit a running poll: none of the API, which has no part in it; and a rotation of the poll's key. */
const POLL_STRIKES: readonly FaultName[] = [...STRIKES.filter((one) => !one.startsWith('api:')), 'integration:rotate']

/** More than a page each; in an inbox a dispute has at least two notifications. */
const DISPUTES: Record<AdapterName, number> = {
  ...{ stripe: 130, paypal: 70, braintree: 70, adyen: 60, recoup_sandbox: 130 },
}

type PollCell = Cell<PollStep>
type PollOutcome = Outcome<PollCell>

/** Most cells at once. A poll that is held takes one of its shard's 16 places: with more of them the others could not begin. */
const OF_A_SHARD = 12

/** Divides into groups of about the same size, of at most `most`; none is empty. */
function atMost<One>(most: number, all: One[]): One[][] {
  const groups = all.length === 0 ? 0 : Math.max(1, Math.ceil(all.length / most))
  return Array.from({ length: groups }, (_, group) => all.filter((_, index) => index % groups === group))
}

/** Cells of ingestion, grouped by fault. Impossible cells are skipped with a reason. */
export function ingestionCells(selection: Selection): { groups: PollCell[][]; skipped: PollOutcome[] } {
  const skipped: PollOutcome[] = []
  const groups: PollCell[][] = []
  const only = selection.cell
  for (const seed of seedsOf(selection))
    for (const [turn, strike] of POLL_STRIKES.entries()) {
      if (!isWanted(strike, selection)) continue
      const held: PollCell[] = []
      const wired: PollCell[] = []
      for (const [index, step] of POLL_STEPS.entries())
        for (const [place, adapter] of ADAPTERS.entries()) {
          if (selection.adapters && !selection.adapters.includes(adapter)) continue
          const cell: PollCell = { strike, step, adapter, seed }
          const why = step.missing(adapter)
          // As in `npm run test:full`: one fault, one adapter at each step.
          const chosen = !selection.reduced || (turn === 0 && !step.wire && index % ADAPTERS.length === place)
          if (why !== null) skipped.push({ cell, result: 'skipped', why: [why] })
          else if (chosen && (!only || nameOf(cell) === only)) (step.wire ? wired : held).push(cell)
        }
      // A held poll sends no heartbeat and is soon retried: the fewer at once the better.
      const most = selection.polling === 'dispatch' ? OF_A_SHARD : Number.POSITIVE_INFINITY
      groups.push(...atMost(most, held), ...atMost(most, wired))
    }
  if (groups.length === 0) throw new Error(`there is no cell ${only ?? `of the victim ${selection.victim}`}`)
  return { groups, skipped: only ? [] : skipped }
}

/** Cells open their own accounts; the first connections only prove that everything is up. */
export async function prepareIngestion({ reduced }: Selection): Promise<Testbed> {
  const testbed = await startTestbed({
    disputes: { stripe: 1, paypal: 1, braintree: 1, adyen: 1, recoup_sandbox: 1 },
    // Long enough for all polls to reach their steps.
    env: { RECOUP_HEARTBEAT_MS: reduced ? '4000' : '15000' },
  })
  await spareEnrichment(testbed)
  return testbed
}

interface Poll {
  cell: PollCell
  connected: Connected
  held: Held
  /** Rows that the database refuses. */
  refused: Set<string>
}

/** One fault against polls at many steps of all adapters at once: holds them, injects it, releases and checks them. */
export async function runPollCells(testbed: Testbed, cells: readonly PollCell[]): Promise<PollOutcome[]> {
  const [first] = cells
  if (!first) return []
  const polls: Poll[] = []
  const missing = new Set<Poll>()
  // Where a path names no account, the next request at the PSP must be the right one.
  const hold = async (some: readonly PollCell[]) => {
    const begun: Poll[] = []
    for (const cell of some) begun.push(await begin(testbed, cell))
    polls.push(...begun)
    for (const lost of await allReached(begun, 120_000)) missing.add(lost)
  }
  const oneByOne = ADAPTERS.map(async (adapter) => {
    for (const cell of cells) if (cell.step.wire && cell.adapter === adapter) await hold([cell])
  })
  await Promise.all([...oneByOne, hold(cells.filter(({ step }) => !step.wire))])
  const integrations = polls.map(({ connected }) => connected.integrationId)
  const free = polls.filter(({ cell }) => cell.step.key !== 'page_written')
  const afterwards = await FAULT_ACTIONS[first.strike as FaultName](testbed, {
    chance: chanceOf(first.seed, first.strike),
    about: polls.map(({ connected }) => connected),
    disputes: [],
    free: [],
    release: async () => void (await Promise.all(polls.map(({ held }) => held.release()))),
    takenOver: () =>
      allPolled(
        testbed,
        free.map(({ connected }) => connected.integrationId),
      ).then(
        () => undefined,
        () => undefined,
      ),
  })
  const slow = await allPolled(testbed, integrations, { wiped: first.strike === 'temporal:wipe' })
  const left = await nothingOpen(testbed, integrations)
  const wrong = (await afterwards?.()) ?? []
  const outcomeOf = async (poll: Poll): Promise<PollOutcome> => {
    const { connected, cell, refused } = poll
    const why = [...slow, ...left].filter(({ about }) => about === null || about === connected.integrationId)
    const sentences = why.map(({ sentence }) => `I14: ${sentence}`)
    if (missing.has(poll)) sentences.unshift('the poll never reached this step')
    sentences.push(...(await ingestedTrue(testbed, connected, refused)))
    sentences.push(...wrong.filter(({ adapter }) => adapter === cell.adapter).map(({ sentence }) => sentence))
    return { cell, result: sentences.length > 0 ? 'failed' : 'passed', why: sentences }
  }
  const outcomes = await Promise.all(polls.map(outcomeOf))
  await checkReadAgain(testbed, polls, outcomes)
  await disconnect(testbed, integrations)
  return outcomes
}

async function begin(testbed: Testbed, cell: PollCell): Promise<Poll> {
  const { adapter, step, seed } = cell
  const { account, disputes } = openAccount(testbed, adapter, { count: DISPUTES[adapter] })
  const refused = new Set(step.refuses ? disputes.slice(3, 5).map(({ reference }) => reference) : [])
  await refuse(testbed, refused)
  let held: Held | undefined
  const connected = await connectAccount(testbed, { adapter, account }, async (trx, integrationId) => {
    if (adapter === 'adyen') await fillInbox(testbed, trx, { adapter, account, integrationId })
    if (step.wire) held = holdPollRequest(testbed, { adapter, account, integrationId }, step.wire, seed)
    else if (step.hold.at === 'point') held = holdAbout(testbed.worker, step.hold.point, integrationId)
  })
  return { cell, connected, held: held as Held, refused }
}

/** I13: when the database accepts a quarantined row, the next read of its dispute stores it. */
async function checkReadAgain(
  testbed: Testbed,
  polls: readonly Poll[],
  outcomes: readonly PollOutcome[],
): Promise<void> {
  const quarantined = polls.filter(({ refused }) => refused.size > 0)
  if (quarantined.length === 0) return
  await refuseNothing(testbed)
  await readAgain(testbed, quarantined)
  for (const { cell, connected } of quarantined) {
    const outcome = outcomes.find((one) => one.cell === cell)
    const wrong = (await ingestedTrue(testbed, connected)).map((sentence) => `after the fix, ${sentence}`)
    if (!outcome || wrong.length === 0) continue
    outcome.result = 'failed'
    outcome.why.push(...wrong)
  }
}
