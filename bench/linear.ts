import { cpuRate, rateOf } from './ours/figures.ts'
import type { Fifth } from './ours/poller.ts'
import { openRecoup, prepareBulk, type RecoupPass } from './ours/recoup.ts'
import { onFreshDatabase } from './peers/contender.ts'
import { openOtherSide } from './psp/other-side.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { openStack } from './runner/stack.ts'

export async function run(context: Context): Promise<void> {
  const least = context.size(20_000, 1_000)
  await using otherSide = await openOtherSide()
  const { url, pid: postmaster } = otherSide.postgres
  await using databases = await openDatabases(url)
  const prepared = await prepareBulk(databases)
  context.fact({ disputes: least * 10, analyzed: false, postgres: await databases.describe() })
  /** In a new process, whose peak of memory is the pass' own. */
  const load = (count: number) => async (): Promise<RecoupPass> => {
    const pspUrl = await otherSide.bulk({ count })
    const stack = openStack()
    try {
      const recoup = stack.use(openRecoup(prepared, { pspUrl, postmaster }))
      return await onFreshDatabase(databases, recoup, ({ sync }) => sync())
    } finally {
      await stack.dispose()
    }
  }
  const { rounds, loudPairs } = await context.pairsOf({ ten: load(least * 10), one: load(least) }, postmaster)
  const ten = rounds.map((round) => round.ten)
  const line = (
    figure: string,
    unit: string,
    clock: 'wall' | 'cpu' | 'count',
    ours: number[],
    anchor: { name: string; values: number[] },
    inverse = false,
  ) => context.metric({ name: `linear.${figure}`, unit, clock, ours, anchor, inverse }, loudPairs)
  const against = (
    figure: string,
    unit: string,
    clock: 'wall' | 'cpu' | 'count',
    value: (pass: RecoupPass) => number,
  ) => {
    const values = rounds.map(({ one }) => value(one))
    line(figure, unit, clock, ten.map(value), { name: 'a tenth of the data', values })
  }
  against('rate', 'disputes/s', 'wall', rateOf)
  against('cpu', 'disputes/CPU-s', 'cpu', cpuRate)
  against('rss', 'MB', 'count', ({ rssMb }) => rssMb)
  // Equal pages: the rates are the inverse of the times.
  const fifths = (figure: string, clock: 'wall' | 'cpu', value: (fifth: Fifth) => number) => {
    const of = (which: 'first' | 'last') =>
      ten.map(({ fifths }) => {
        if (!fifths) throw new Error('too few pages for fifths')
        return value(fifths[which])
      })
    line(figure, 'ms', clock, of('last'), { name: 'the first fifth', values: of('first') }, true)
  }
  fifths('fifths', 'wall', ({ wallMs }) => wallMs)
  fifths('fifths_cpu', 'cpu', ({ cpuMs }) => cpuMs)
}
