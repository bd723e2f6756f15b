import { scriptArguments } from '../local/run-script.ts'
import { makeAllDue, makeFleet } from './fleet/integrations.ts'
import type { SweepOptions, SweepRun } from './fleet/sweeper.ts'
import { openRecoup, type Prepared } from './ours/recoup.ts'
import { openOtherSide } from './psp/other-side.ts'
import { openChild } from './runner/child.ts'
import { clusterTime } from './runner/clocks.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

/** What the gate is about. */
const INTEGRATIONS = 10_000
/** Disputes of an integration; all fit on its first page. */
const PAGES = { small: 10, large: 100 }

interface Sweep extends SweepRun {
  postgresCpuMs: number | null
}

export async function run(context: Context): Promise<void> {
  const few = context.size(INTEGRATIONS, 200)
  if (few !== INTEGRATIONS) context.skip('sweep.size', context.rows, `${few} integrations are not ${INTEGRATIONS}`)
  await using otherSide = await openOtherSide()
  const { url, pid: postmaster } = otherSide.postgres
  await using databases = await openDatabases(url)
  context.fact({
    integrations: few,
    disputes: few * PAGES.small,
    analyzed: true,
    postgres: await databases.describe(),
  })
  await using worker = openChild(process.execPath, scriptArguments('bench/fleet/sweep-process.ts'), {
    name: 'the shards',
  })

  const make = async (integrations: number, disputes: number) => {
    context.say(`${integrations} integrations with ${disputes} disputes each`)
    const pspUrl = await otherSide.bulk({ count: disputes, beside: true })
    const fleet = await makeFleet(databases, integrations, (prepared) => pollOnce(prepared, { pspUrl, postmaster }))
    return { fleet, pspUrl, disputes }
  }
  const fleets = {
    few: await make(few, PAGES.small),
    large: await make(few, PAGES.large),
    many: await make(few * 10, PAGES.small),
  }
  const run =
    ({ fleet, pspUrl, disputes }: Awaited<ReturnType<typeof make>>) =>
    async (): Promise<Sweep> => {
      const { databaseUrl, ring } = fleet
      const order: SweepOptions = { databaseUrl, ring, polls: few, pspUrl }
      await makeAllDue(fleet)
      const { postgresCpuMs, result } = await clusterTime(postmaster, () => worker.ask<SweepRun>(order))
      if (result.seen < few * disputes) throw new Error(`${few} polls read ${result.seen} disputes`)
      return { ...result, postgresCpuMs }
    }
  const sides = {
    few: run(fleets.few),
    large: run(fleets.large),
    many: run(fleets.many),
  }
  const { rounds, loudPairs } = await context.pairsOf(sides, postmaster)
  const prefix = few === INTEGRATIONS ? 'sweep' : 'sweep.small'
  const total = ({ cpuMs, postgresCpuMs }: Sweep) => cpuMs + (postgresCpuMs ?? 0)
  const line = (
    figure: string,
    unit: string,
    clock: 'cpu' | 'count',
    value: (round: (typeof rounds)[number]) => number,
  ) => context.metric({ name: `${prefix}.${figure}`, unit, clock, ours: rounds.map(value), anchor: null }, loudPairs)
  line('cpu', 'CPU-s', 'cpu', ({ few: one }) => total(one) / 1000)
  line('cpu_large_pages', 'CPU-s', 'cpu', ({ large }) => total(large) / 1000)
  line('client_cpu', 'µs/poll', 'cpu', ({ few: one }) => (one.cpuMs * 1000) / one.polled)
  line('postgres_cpu', 'µs/poll', 'cpu', ({ few: one }) => ((one.postgresCpuMs ?? 0) * 1000) / one.polled)
  line('statements', 'statements/poll', 'count', ({ few: one }) => one.statements / one.polled)
  const perPoll = (side: 'few' | 'many') => rounds.map((round) => (total(round[side]) * 1000) / round[side].polled)
  const anchor = { name: 'a tenth of the integrations', values: perPoll('few') }
  context.metric({ name: `${prefix}.growth`, unit: 'µs/poll', clock: 'cpu', ours: perPoll('many'), anchor }, loudPairs)
}

/** Loads the account of the integration whose rows the fleet copies. */
async function pollOnce(prepared: Prepared, at: { pspUrl: string; postmaster: number | null }): Promise<void> {
  await using recoup = openRecoup(prepared, at)
  await recoup.open(prepared.template)
  await recoup.sync()
  await recoup.close()
}
