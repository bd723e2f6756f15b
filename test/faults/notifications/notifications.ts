import { type Selection, seedsOf } from '../cells.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import { statusNeverReturns } from '../invariants/order.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { connectAccount, disconnect, openAccount } from '../testbed/accounts.ts'
import { holdAbout } from '../testbed/holding.ts'
import { fillInbox } from '../testbed/inbox.ts'
import { allPolled } from '../testbed/polls.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { ADAPTERS, type AdapterName } from '../testbed/psps.ts'
import type { Fixture, NotificationCase } from './notification-fixture.ts'
import { ALL_CASES, FLOOD, flood } from './notification-outages.ts'

interface Chosen {
  key: string
  one: Pick<NotificationCase, 'title' | 'count' | 'early' | 'missing'>
  adapters: AdapterName[]
  seed: number
}

const nameOf = ({ key, seed }: Chosen, adapter: AdapterName) => `${key}:${adapter}:${seed}`

/** As in `npm run test:full`: each adapter in one case. */
const REDUCED = ['ten_at_once', 'newest_first', 'before_first_poll', 'replayed', 'late_page']

function chosenOf(selection: Selection): Chosen[] {
  const { adapters = ADAPTERS, cell, reduced } = selection
  const cases: [string, Chosen['one']][] = [...Object.entries(ALL_CASES), [FLOOD.key, FLOOD]]
  const all = seedsOf(selection).flatMap((seed) =>
    cases.map(([key, one]) => {
      const place = REDUCED.indexOf(key)
      const mine = reduced ? ADAPTERS.filter((_, turn) => turn === place) : [...adapters]
      return { key, one, seed, adapters: mine }
    }),
  )
  const wanted = cell
    ? all.map((some) => ({
        ...some,
        adapters: some.adapters.filter((adapter) => [some.key, nameOf(some, adapter)].includes(cell)),
      }))
    : all
  const found = wanted.filter((some) => some.adapters.length > 0)
  if (cell && found.length === 0) throw new Error(`there is no cell ${cell}`)
  return found
}

/** Every case at all adapters at once, one case after the other. */
export async function notifyAll(testbed: Testbed, options: SuiteOptions): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  const chosen = chosenOf(options)
  // The few cases of the reduced form run all at once.
  const groups = options.reduced ? [chosen] : chosen.map((some) => [some])
  for (const group of groups) {
    const began = Date.now()
    const ended = (await Promise.all(group.map((some) => runCase(testbed, some, options.reduced ?? false)))).flat()
    const failed = ended.filter(({ result }) => result === 'failed')
    const what = group.length > 1 ? `${group.length} cases` : group.map(({ key }) => key).join()
    options.print?.(
      `  ${what}: ${ended.length} cells, ${failed.length} failed, ${((Date.now() - began) / 1000).toFixed(1)} s`,
    )
    for (const { name, why } of failed) {
      options.print?.(`    FAILED  npm run torture -- notifications --cell ${name}`)
      for (const sentence of why) options.print?.(`            ${sentence}`)
    }
    outcomes.push(...ended)
  }
  return outcomes
}

async function runCase(testbed: Testbed, chosen: Chosen, reduced: boolean): Promise<SuiteOutcome[]> {
  const { key, one, adapters } = chosen
  const outcome = (adapter: AdapterName, result: SuiteOutcome['result'], why: string[]): SuiteOutcome => ({
    ...{ name: nameOf(chosen, adapter), title: one.title, result, why },
    place: { row: `${key}: ${one.title}`, column: adapter },
  })
  const able = adapters.filter((adapter) => !one.missing?.(adapter))
  const skipped = adapters.filter((adapter) => !able.includes(adapter))
  const cases: Fixture[] = []
  for (const adapter of able) cases.push(await open(testbed, adapter, one, reduced))
  const ids = cases.map(({ connected }) => connected.integrationId)
  if (!one.early) await allPolled(testbed, ids)
  const floods = key === FLOOD.key ? await flood(cases) : null
  const ended = await Promise.all(
    cases.map(async (fixture) => {
      const problems = await (floods ? floods.get(fixture) : ALL_CASES[key]?.run(fixture).catch(sentenceOf))
      await fixture.go?.()
      return outcome(fixture.connected.adapter, 'passed', [...(problems ?? []), ...(await check(fixture))])
    }),
  )
  await disconnect(testbed, ids)
  for (const each of ended) if (each.why.length > 0) each.result = 'failed'
  return [...ended, ...skipped.map((adapter) => outcome(adapter, 'skipped', [one.missing?.(adapter) ?? '']))]
}

const sentenceOf = (error: unknown) => [(error as Error).message]

/** Early cases deliver while the first page is held before it is stored. */
async function open(testbed: Testbed, adapter: AdapterName, one: Chosen['one'], reduced: boolean): Promise<Fixture> {
  const order = { count: one.count, status: 'needs_response', stage: 'chargeback' }
  const { account, disputes } = openAccount(testbed, adapter, order)
  let held: ReturnType<typeof holdAbout> | undefined
  const connected = await connectAccount(testbed, { adapter, account }, async (trx, integrationId) => {
    if (one.early) held = holdAbout(testbed.worker, 'poll.before_page', integrationId)
    else if (adapter === 'adyen') await fillInbox(testbed, trx, { adapter, account, integrationId })
  })
  return { testbed, connected, disputes, reduced, ...(held && { go: held.release }) }
}

/** When all is read: our rows match the PSP, nothing is open, and no status went back. */
async function check({ testbed, connected }: Fixture): Promise<string[]> {
  const { integrationId } = connected
  const left = await nothingOpen(testbed, [integrationId])
  return [
    ...left.map(({ sentence }) => `I14: ${sentence}`),
    ...(await ingestedTrue(testbed, connected)),
    ...(await statusNeverReturns(testbed, connected)),
  ]
}
