import type { Contender } from '../peers/contender.ts'
import { onFreshDatabase } from '../peers/contender.ts'
import { PEERS } from '../peers/index.ts'
import type { Peer } from '../peers/peer.ts'
import { keyOf } from '../psp/bulk.ts'
import { type OtherSide, openOtherSide } from '../psp/other-side.ts'
import type { Context } from '../runner/context.ts'
import { type Databases, openDatabases } from '../runner/databases.ts'
import { openStack } from '../runner/stack.ts'
import { BULK_ACCOUNT, openRecoup, type Prepared, prepareBulk, type Recoup } from './recoup.ts'

/** The bulk Stripe, a Postgres, and everybody who copies the one into the other. */
export interface Arena {
  otherSide: OtherSide
  databases: Databases
  postmaster: number | null
  pspUrl: string
  prepared: Prepared
  recoup: Recoup
  peers: { peer: Peer; contender: Contender }[]
  [Symbol.asyncDispose](): Promise<void>
}

export interface ArenaOptions {
  count: number
  delayMs?: number
  poisonEvery?: number
  /** Rate at which Recoup calls the account; by default it is not limited. */
  requestsPerSecond?: number
  /** Which peers are wanted at all. */
  peers: (peer: Peer) => boolean
}

/** Starts all of it. A peer that can't be installed, or fails its first pass, is skipped loudly. */
export async function openArena(context: Context, options: ArenaOptions): Promise<Arena> {
  const stack = openStack()
  try {
    const otherSide = stack.use(await openOtherSide())
    const { url, pid: postmaster } = otherSide.postgres
    const databases = stack.use(await openDatabases(url))
    const { count, delayMs, poisonEvery, requestsPerSecond } = options
    context.say(`${count} disputes`)
    const pspUrl = await otherSide.bulk({ count, ...(delayMs && { delayMs }), ...(poisonEvery && { poisonEvery }) })
    const prepared = await prepareBulk(databases)
    const recoup = stack.use(
      openRecoup(prepared, { pspUrl, postmaster, ...(requestsPerSecond && { requestsPerSecond }) }),
    )
    const peers: Arena['peers'] = []
    for (const peer of PEERS.filter(options.peers)) {
      const wanted = context.peers === null || context.peers.includes(peer.key)
      const contender = wanted
        ? await openPeer(peer, databases, { pspUrl, postmaster }).catch((error: Error) => error)
        : new Error('left out by --peer')
      const rows = peer.rows.filter((row) => context.rows.includes(row))
      if (contender instanceof Error) context.skip(`${context.name}.${peer.key}`, rows, contender.message)
      else peers.push({ peer, contender: stack.use(contender) })
    }
    context.fact({ disputes: count, analyzed: false, postgres: await databases.describe() })
    const parts = { otherSide, databases, postmaster, pspUrl, prepared, recoup, peers }
    return { ...parts, [Symbol.asyncDispose]: () => stack.dispose() }
  } catch (error) {
    await stack.dispose()
    throw error
  }
}

async function openPeer(peer: Peer, databases: Databases, at: { pspUrl: string; postmaster: number | null }) {
  const contender = await peer.open({ ...at, key: keyOf(BULK_ACCOUNT.account) })
  try {
    await onFreshDatabase(databases, contender, ({ sync }) => sync())
    return contender
  } catch (error) {
    await contender[Symbol.asyncDispose]()
    throw error
  }
}
