import { openArena } from './ours/arena.ts'
import { cpuRate, printOwn, printRatios, rateOf } from './ours/figures.ts'
import type { RecoupPass } from './ours/recoup.ts'
import { onFreshDatabase, type Pass } from './peers/contender.ts'
import type { Context } from './runner/context.ts'

/** Re-polls on the same database, by what changed at the PSP meanwhile. */
interface Polls {
  unchanged: Pass
  /** Recoup's alone. */
  oneNew?: Pass
  percentChanged?: Pass
}

export async function run(context: Context): Promise<void> {
  const count = context.size(20_000, 2_000)
  await using arena = await openArena(context, { count, peers: ({ repolls }) => repolls })
  const { recoup, peers, databases, postmaster, otherSide } = arena
  const ours = () =>
    onFreshDatabase(databases, recoup, async ({ sync }): Promise<Polls> => {
      await sync()
      const unchanged = expecting(await sync(), 0, 0)
      await otherSide.change({ prepend: 1 })
      const oneNew = expecting(await sync(), 1, 0)
      await otherSide.change({ share: 0.01 })
      return { unchanged, oneNew, percentChanged: expecting(await sync(), 0, Math.floor(count / 100)) }
    })
  const theirs =
    ({ contender }: (typeof peers)[number]) =>
    () =>
      onFreshDatabase(databases, contender, async ({ sync }): Promise<Polls> => {
        await sync()
        return { unchanged: await sync() }
      })
  const sides = { ours, ...Object.fromEntries(peers.map((one) => [one.peer.key, theirs(one)])) }
  const { rounds, loudPairs } = await context.pairsOf<string, Polls>(sides, postmaster)
  const passesOf = (side: string, poll: keyof Polls) => rounds.map((round) => round[side]?.[poll] as Pass)
  const mine = passesOf('ours', 'unchanged')
  printOwn(context, 'resync.unchanged', mine, loudPairs)
  printOwn(context, 'resync.one_new', passesOf('ours', 'oneNew'), loudPairs)
  printOwn(context, 'resync.percent_changed', passesOf('ours', 'percentChanged'), loudPairs)
  const beside = peers.map(({ peer, contender }) => ({
    key: peer.key,
    name: contender.name,
    passes: passesOf(peer.key, 'unchanged'),
  }))
  for (const peer of beside) printRatios(context, `resync.${peer.key}`, mine, peer, loudPairs)
  printBest(context, mine, beside, loudPairs)
  const supabase = beside.find(({ key }) => key === 'supabase')
  if (!supabase) return
  const clientCpu = ({ cpuMs, rows }: Pass) => (cpuMs * 1000) / rows
  context.metric(
    {
      ...{ name: 'resync.cpu_us_per_row', unit: 'µs/dispute', clock: 'cpu', inverse: true },
      ours: mine.map(clientCpu),
      anchor: { name: supabase.name, values: supabase.passes.map(clientCpu) },
    },
    loudPairs,
  )
}

/** In each pair the peer that did best in it, by either clock. */
function printBest(context: Context, ours: Pass[], peers: { passes: Pass[] }[], loudPairs: number): void {
  if (peers.length === 0) return
  const best = (value: (pass: Pass) => number) =>
    ours.map((_, index) => Math.max(...peers.map(({ passes }) => value(passes[index] as Pass))))
  const line = (figure: string, unit: string, clock: 'wall' | 'cpu', value: (pass: Pass) => number) =>
    context.metric(
      {
        ...{ name: `resync.best.${figure}`, unit, clock, ours: ours.map(value) },
        anchor: { name: 'the best peer of each pair', values: best(value) },
      },
      loudPairs,
    )
  line('rate', 'disputes/s', 'wall', rateOf)
  line('cpu', 'disputes/CPU-s', 'cpu', cpuRate)
}

/** @throws when the poll found something else: the figures would be of other work */
function expecting(pass: RecoupPass, created: number, changed: number): RecoupPass {
  if (pass.created === created && pass.changed === changed) return pass
  throw new Error(
    `the poll found ${pass.created} new and ${pass.changed} changed disputes instead of ${created} and ${changed}`,
  )
}
