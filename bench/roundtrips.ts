import { openArena } from './ours/arena.ts'
import { pollCounts } from './ours/counts.ts'
import { onFreshDatabase } from './peers/contender.ts'
import type { Context } from './runner/context.ts'

export async function run(context: Context): Promise<void> {
  const count = context.size(20_000, 2_000)
  await using arena = await openArena(context, { count, peers: () => false })
  const { databases, recoup, otherSide } = arena
  const counts = await onFreshDatabase(databases, recoup, async ({ sync }) => {
    const load = await sync()
    await otherSide.counters()
    const repoll = await sync()
    const { requests } = await otherSide.counters()
    return pollCounts(load, repoll, requests)
  })
  for (const [name, { unit, value }] of Object.entries(counts))
    context.metric({ name: `roundtrips.${name}`, unit, clock: 'count', ours: [value], anchor: null })
}
