import { openArena } from './ours/arena.ts'
import { pollCounts } from './ours/counts.ts'
import { onFreshDatabase } from './peers/contender.ts'
import type { Benchmark } from './runner/context.ts'

export const roundtrips: Benchmark = {
  name: 'roundtrips',
  about: 'database round trips for each dispute, counted at the driver, and requests counted at the simulated PSP',
  async run(context) {
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
  },
}
