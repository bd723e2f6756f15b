import { openCopy } from './baselines/copy/index.ts'
import { openArena } from './ours/arena.ts'
import { printRatios } from './ours/figures.ts'
import { BULK_ACCOUNT } from './ours/recoup.ts'
import { onFreshDatabase, type Pass } from './peers/contender.ts'
import { keyOf } from './psp/bulk.ts'
import type { Context } from './runner/context.ts'

export async function run(context: Context): Promise<void> {
  if (process.env.DATABASE_URL)
    return context.skip('copy-limit.memory', context.rows, 'COPY reads a file of this machine')
  const count = context.size(50_000, 2_000)
  await using arena = await openArena(context, { count, peers: () => false })
  const { databases, recoup, postmaster, pspUrl, otherSide } = arena
  await using copy = await openCopy(pspUrl, keyOf(BULK_ACCOUNT.account), otherSide.postgres.url)
  const ours = (): Promise<Pass> => onFreshDatabase(databases, recoup, ({ sync }) => sync())
  const memory = async (): Promise<Pass> => {
    const url = await databases.create()
    return copy.load(url, postmaster).finally(() => databases.drop(url))
  }
  const { rounds, loudPairs } = await context.pairsOf({ ours, memory }, postmaster)
  const beside = { name: copy.name, passes: rounds.map((round) => round.memory) }
  printRatios(
    context,
    'copy-limit.memory',
    rounds.map((round) => round.ours),
    beside,
    loudPairs,
  )
}
