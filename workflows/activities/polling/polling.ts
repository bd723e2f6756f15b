import { Context } from '@temporalio/activity'
import { PspError } from '../../../adapters/errors.ts'
import { type Connection, loadConnection, recordPoll } from '../../../db/integrations/connections.ts'
import { type Beforehand, readBeforehand } from '../../../db/polling/beforehand.ts'
import { hasDueContext } from '../../../db/polling/enrichment.ts'
import { advanceCursor, type Lease, releaseLease, takeLease, type VersionedCursor } from '../../../db/polling/lease.ts'
import type { ActivityDeps } from '../deps.ts'
import { type AtPsp, connectAtPsp } from '../psp.ts'
import { type ListWalk, openWalk } from './list-walk.ts'
import { drainRereads, type Reread, sweepDue } from './rereading.ts'

/** A slice returns after this time, so that progress is visible and a shutdown need not wait. */
const SLICE_MS = 4 * 60 * 1000

export interface SliceResult {
  pages: number
  seen: number
  created: number
  changed: number
  quarantined: number
  /** Disputes read one by one: after a notification, or because they were due. */
  reread: number
  done: boolean
  withoutContext: boolean
  /** Why the poll ended early; a sentence for the operator. */
  stopped?: string
}

/** A shard's poll: the shard has leased it, records how it ended and gives the lease back. */
export interface HeldPoll {
  connection: Connection
  lease: Lease
  /** Absent: it is read when the poll begins. */
  beforehand?: Beforehand
  /** Instead of `SLICE_MS`. */
  sliceMs: number
  /** Set if the cursor has moved past unchanged pages. The shard stores it when it records the poll. */
  moved: VersionedCursor | null
  /** Set once the list is read to its end. */
  listed: boolean
}

/**
 * Reads the disputes that notifications named, then pages from the integration's cursor on, each stored in its own
 * transaction, for about `SLICE_MS`. At the end of the list it reads some disputes that were not read for long.
 */
export async function ingestPages(
  deps: ActivityDeps,
  input: { integrationId: string; sliceMs?: number },
  held?: HeldPoll,
): Promise<SliceResult> {
  const context = Context.current()
  const result: SliceResult = {
    pages: 0,
    seen: 0,
    created: 0,
    changed: 0,
    quarantined: 0,
    reread: 0,
    done: true,
    withoutContext: false,
  }
  const connection = held?.connection ?? (await loadConnection(deps.db, input.integrationId))
  if (connection?.status !== 'SUCCESSFUL') return { ...result, stopped: 'the integration is not verified' }
  const lease =
    held?.lease ?? (await takeLease(deps.db, input.integrationId, context.info.workflowExecution?.runId ?? ''))
  if (!lease) return { ...result, stopped: 'another poll of this integration is at work' }
  const reading = new AbortController()
  const { cancellationSignal } = context
  const cancel = () => reading.abort(cancellationSignal.reason)
  cancellationSignal.addEventListener('abort', cancel)
  if (cancellationSignal.aborted) cancel()
  try {
    const progress = () => context.heartbeat({ pages: result.pages, seen: result.seen })
    const caller = { priority: 'poll', signal: reading.signal, answered: progress, takesAhead: true } as const
    const psp = connectAtPsp(deps, connection, caller)
    const polling = { deps, connection, lease, psp }
    const add = (reread: Reread) => {
      for (const key of ['reread', 'created', 'changed', 'quarantined'] as const) result[key] += reread[key]
    }
    let walk: ListWalk | null = null
    let complete = false
    try {
      let beforehand = held?.beforehand ?? (await readBefore(deps, input.integrationId))
      if (beforehand.rereads) {
        add(await drainRereads(polling))
        beforehand = await readBefore(deps, input.integrationId)
      }
      const cursor = firstCursor(deps, connection, psp)
      walk = openWalk(polling, { cursor, beforehand, sliceMs: held?.sliceMs ?? input.sliceMs ?? SLICE_MS })
      for (;;) {
        const page = await walk.next()
        result.pages++
        for (const key of ['seen', 'created', 'changed', 'quarantined'] as const) result[key] += page[key]
        result.done = !page.hasMore
        if (page.pauses) break
        progress()
        if (cancellationSignal.aborted) await context.cancelled
      }
      const moved = walk.moved()
      if (held) held.moved = moved
      else if (moved) await advanceCursor(deps.db, lease, moved)
      const hasNews = () => result.created + result.changed > 0
      if (result.done) {
        if (held) held.listed = true
        else await recordPoll(deps.db, lease, { ok: true })
        if (beforehand.due || hasNews()) add(await sweepDue(polling))
      }
      result.withoutContext =
        psp.adapter.fetchContext !== undefined &&
        (beforehand.context || (hasNews() && (await hasDueContext(deps.db, input.integrationId))))
      complete = true
    } finally {
      // Nobody stores the pages that were read ahead: end their requests before another poll may take the lease.
      if (!complete) reading.abort()
      await walk?.close()
      // Tokens that can't be returned are refilled with time.
      await psp.close().catch(() => undefined)
    }
    if (!held) await releaseLease(deps.db, lease)
    return result
  } catch (error) {
    // A cancelled attempt reports nothing about the PSP.
    const ended = cancellationSignal.aborted ? null : await endEarly(deps, lease, error)
    // Release at once: otherwise a late attempt would delay the next poll.
    if (!held) await releaseLease(deps.db, lease)
    if (!ended) throw error
    return { ...result, done: true, stopped: ended }
  } finally {
    cancellationSignal.removeEventListener('abort', cancel)
  }
}

/** Errors that end a poll without failing it: the credential, and the PSP's rate limit. All others are retried. */
async function endEarly(deps: ActivityDeps, lease: Lease, error: unknown): Promise<string | null> {
  if (!(error instanceof PspError)) return null
  const refused = ['auth_failed', 'permission_missing', 'config_invalid'].includes(error.kind)
  await recordPoll(deps.db, lease, { ok: false, reason: error.message, authentication: refused })
  if (refused) return 'credential refused'
  return error.kind === 'rate_limited' ? 'the PSP limits our rate; the next poll goes on from here' : null
}

async function readBefore({ db }: ActivityDeps, integrationId: string): Promise<Beforehand> {
  return (await readBeforehand(db, [integrationId])).get(integrationId) as Beforehand
}

function firstCursor(deps: ActivityDeps, connection: Connection, { definition }: AtPsp): unknown {
  const { cursor } = definition
  if (!connection.cursor) return cursor.initial(deps.now())
  const value =
    connection.cursor.version === cursor.version ? connection.cursor.value : cursor.migrate(connection.cursor)
  const parsed = cursor.schema.safeParse(value)
  return parsed.success ? parsed.data : cursor.initial(deps.now())
}
