import { openArena } from './ours/arena.ts'
import { printOwn, printRatios } from './ours/figures.ts'
import { onFreshDatabase, type Pass } from './peers/contender.ts'
import type { Context } from './runner/context.ts'

/** Added to each response, ms. */
const DELAY = 100
/** Requests a second that Stripe takes for one endpoint of an account (docs.stripe.com, rate limits). */
const STRIPE_LIMIT = 25
/** `RECOUP_PSP_REQUESTS_PER_SECOND` of the run. With a burst of two it stays within Stripe's limit. The default is ten. */
const OWN_LIMIT = 23

export async function run(context: Context): Promise<void> {
  const count = context.size(20_000, 2_000)
  await using arena = await openArena(context, {
    ...{ count, delayMs: DELAY, requestsPerSecond: OWN_LIMIT },
    peers: ({ key }) => key === 'supabase',
  })
  const { recoup, peers, databases, postmaster, otherSide } = arena
  const ours = async () => {
    await otherSide.counters()
    const pass: Pass = await onFreshDatabase(databases, recoup, ({ sync }) => sync())
    const { requests, spanMs } = await otherSide.counters()
    return { pass, share: ((requests - 1) * 1000) / spanMs / STRIPE_LIMIT }
  }
  const theirs =
    ({ contender }: (typeof peers)[number]) =>
    async () => ({
      pass: await onFreshDatabase(databases, contender, ({ sync }) => sync()),
      share: 0,
    })
  const sides = { ours, ...Object.fromEntries(peers.map((one) => [one.peer.key, theirs(one)])) }
  const { rounds, loudPairs } = await context.pairsOf<string, Awaited<ReturnType<typeof ours>>>(sides, postmaster)
  const passes = (side: string) => rounds.map((round) => round[side]?.pass as Pass)
  const share = rounds.map((round) => round.ours?.share ?? 0)
  context.metric({ name: 'rtt100.share', unit: 'of the limit', clock: 'wall', ours: share, anchor: null }, loudPairs)
  printOwn(context, 'rtt100', passes('ours'), loudPairs)
  for (const { peer, contender } of peers)
    printRatios(
      context,
      `rtt100.${peer.key}`,
      passes('ours'),
      { name: contender.name, passes: passes(peer.key) },
      loudPairs,
    )
}
