import { QUIET, strangersLoad } from './machine.ts'

/** Most pairs that are thrown away because others used the machine, for each pair that counts. */
const PATIENCE = 3

export interface PairOptions {
  pairs: number
  /** Run a round before them that is not counted. */
  warmUp: boolean
  /** Count pairs that began while others used the machine. Else they are void and measured again. */
  loud: boolean
  /** Of the Postgres cluster that the benchmark uses; null = unknown. */
  postmaster: number | null
  say(text: string): void
  /** Replaces the reading of /proc in tests. */
  load?: (postmaster: number | null) => Promise<number | null>
  /** Before a void pair is tried again, ms. */
  pauseMs?: number
}

export interface Rounds<Side extends string, Result> {
  rounds: Record<Side, Result>[]
  /** Counted rounds that began while others used the machine. */
  loudPairs: number
}

/**
 * Runs all sides in turns, `pairs` times, after a round that is not counted. Every other round begins with the last side.
 * @throws when the machine does not get quiet
 */
export async function interleave<Side extends string, Result>(
  sides: Record<Side, () => Promise<Result>>,
  options: PairOptions,
): Promise<Rounds<Side, Result>> {
  const { pairs, warmUp, loud, postmaster, say, load = strangersLoad, pauseMs = 2_000 } = options
  const names = Object.keys(sides) as Side[]
  const rounds: Record<Side, Result>[] = []
  let loudPairs = 0
  let thrownAway = 0
  for (let round = warmUp ? 0 : 1; rounds.length < pairs; round++) {
    const strangers = await load(postmaster)
    const isLoud = strangers !== null && strangers > QUIET
    if (isLoud && !loud && round > 0) {
      thrownAway++
      say(`void pair: other processes use ${strangers.toFixed(1)} cores`)
      if (thrownAway > pairs * PATIENCE)
        throw new Error(`${thrownAway} pairs were void: stop what else runs on this machine, or add --loud`)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      continue
    }
    const results = {} as Record<Side, Result>
    for (const side of round % 2 ? names : names.toReversed()) results[side] = await sides[side]()
    say(round === 0 ? 'warm-up done' : `pair ${rounds.length + 1} of ${pairs} done${isLoud ? ', loud' : ''}`)
    if (round === 0) continue
    rounds.push(results)
    if (isLoud) loudPairs++
  }
  return { rounds, loudPairs }
}
