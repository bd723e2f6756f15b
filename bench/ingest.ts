import { SUBJECTS } from '../adapters/conformance/subjects.ts'
import { openArena } from './ours/arena.ts'
import { printOwn, printRatios } from './ours/figures.ts'
import { openRecoup, prepareSimulated } from './ours/recoup.ts'
import { onFreshDatabase, type Pass } from './peers/contender.ts'
import { openOtherSide } from './psp/other-side.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

export const run = (context: Context): Promise<void> =>
  context.source === 'stripe' ? againstPeers(context) : alone(context)

async function againstPeers(context: Context): Promise<void> {
  const count = context.size(20_000, 1_000)
  await using arena = await openArena(context, { count, peers: () => true })
  const { recoup, peers, databases, postmaster } = arena
  const load = (contender: (typeof peers)[number]['contender']) => () =>
    onFreshDatabase(databases, contender, ({ sync }) => sync()).then((pass) => complete(pass, count, contender.name))
  const sides = {
    ours: load(recoup),
    ...Object.fromEntries(peers.map(({ peer, contender }) => [peer.key, load(contender)])),
  }
  const { rounds, loudPairs } = await context.pairsOf<string, Pass>(sides, postmaster)
  const ours = rounds.map((round) => round.ours as Pass)
  printOwn(context, 'ingest', ours, loudPairs)
  for (const { peer, contender } of peers) {
    const theirs = rounds.map((round) => round[peer.key] as Pass)
    printRatios(context, `ingest.${peer.key}`, ours, { name: contender.name, passes: theirs }, loudPairs)
  }
}

/** Disputes of a PSP's simulator, which builds each response anew: no peer reads them. */
async function alone(context: Context): Promise<void> {
  const subject = SUBJECTS.find(({ definition }) => definition.source === context.source)
  if (!subject) throw new Error(`there is no simulator of ${context.source}`)
  const count = context.size(2_000, 500)
  await using otherSide = await openOtherSide()
  const { url, pid: postmaster } = otherSide.postgres
  await using databases = await openDatabases(url)
  const pspUrl = await otherSide.simulate(context.source)
  const prepared = await prepareSimulated(databases, otherSide, subject, count)
  await using recoup = openRecoup(prepared, { pspUrl, postmaster })
  context.fact({ source: context.source, disputes: count, analyzed: false, postgres: await databases.describe() })
  const ours = () => onFreshDatabase(databases, recoup, ({ sync }) => sync())
  const { rounds, loudPairs } = await context.pairsOf({ ours }, postmaster)
  for (const round of rounds)
    if (round.ours.created !== count)
      throw new Error(`of ${count} disputes ${round.ours.created} were stored, ${round.ours.quarantined} quarantined`)
  const stored = rounds.map(({ ours }) => ({ ...ours, rows: count }))
  printOwn(context, `ingest.${context.source}`, stored, loudPairs)
}

/** @throws when it read less than there was: the figures would be of less work */
function complete<P extends Pass>(pass: P, count: number, name: string): P {
  if (pass.rows < count) throw new Error(`${name} read ${pass.rows} of ${count} disputes`)
  return pass
}
