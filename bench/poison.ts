import { openArena } from './ours/arena.ts'
import { cpuOf } from './ours/figures.ts'
import { openRecoup } from './ours/recoup.ts'
import { onFreshDatabase } from './peers/contender.ts'
import type { Context } from './runner/context.ts'
import { openStack } from './runner/stack.ts'

/** One dispute in so many is malformed. */
const EVERY = 100

export async function run(context: Context): Promise<void> {
  const count = context.size(20_000, 2_000)
  await using arena = await openArena(context, { count, peers: () => false })
  const { databases, otherSide, prepared, postmaster } = arena
  const load = (poisonEvery?: number) => async () => {
    // One PSP at a time: each keeps all of its pages in memory.
    const pspUrl = await otherSide.bulk({ count, ...(poisonEvery && { poisonEvery }) })
    const stack = openStack()
    try {
      const recoup = stack.use(openRecoup(prepared, { pspUrl, postmaster }))
      const pass = await onFreshDatabase(databases, recoup, ({ sync }) => sync())
      const bad = poisonEvery ? Math.floor(count / poisonEvery) : 0
      if (pass.created + pass.quarantined !== count || pass.quarantined > bad)
        throw new Error(`of ${count} disputes ${pass.created} were stored and ${pass.quarantined} quarantined`)
      return pass
    } finally {
      await stack.dispose()
    }
  }
  const { rounds, loudPairs } = await context.pairsOf({ poisoned: load(EVERY), clean: load() }, postmaster)
  context.metric(
    {
      ...{ name: 'poison.cpu', unit: 'CPU-ms', clock: 'cpu', ours: rounds.map(({ poisoned }) => cpuOf(poisoned)) },
      anchor: { name: 'a clean load', values: rounds.map(({ clean }) => cpuOf(clean)) },
    },
    loudPairs,
  )
  const quarantined = rounds.map(({ poisoned }) => poisoned.quarantined)
  context.metric({ name: 'poison.quarantined', unit: 'disputes', clock: 'count', ours: quarantined, anchor: null })
}
