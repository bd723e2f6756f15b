import { openArena } from './ours/arena.ts'
import { pageCounts } from './ours/counts.ts'
import type { Benchmark } from './runner/context.ts'

export const roundtrips: Benchmark = {
  name: 'roundtrips',
  about: 'database round trips for each dispute, counted at the driver, and requests counted at the simulated PSP',
  async run(context) {
    const count = context.size(20_000, 2_000)
    await using arena = await openArena(context, { count, peers: () => false })
    const counts = await pageCounts(arena)
    for (const [name, { unit, value }] of Object.entries(counts))
      context.metric({ name: `roundtrips.${name}`, unit, clock: 'count', ours: [value], anchor: null })
  },
}
