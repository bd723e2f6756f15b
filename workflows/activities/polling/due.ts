import { setMaxListeners } from 'node:events'
import { Context } from '@temporalio/activity'
import { type Connection, loadConnections } from '../../../db/integrations/connections.ts'
import { type Beforehand, readBeforehand } from '../../../db/polling/beforehand.ts'
import { type DuePoll, type EndedPoll, leaseDue, recordPolls } from '../../../db/polling/due.ts'
import { createBell } from '../../../process/bell.ts'
import { eventLoopIsBusy } from '../../../process/event-loop.ts'
import type { Pace, ShardTotals } from '../../contract.ts'
import type { ActivityDeps } from '../deps.ts'
import { pollOnce, type TurnResult } from './one-poll.ts'
import { createPlaces } from './places.ts'

/** A shard takes new work for this long; its schedule starts the next run every minute. */
const RUN_MS = 55_000
/** Integrations leased at once: by one statement, and by a shard. */
const SLICE = 100
const LEASED = 250
/**
 * Leased at once of one merchant. Three merchants with more work than a shard can do hold 150 leases and 12 of the 16
 * places: there is always room to lease for others, and a place for them.
 */
const SHARE = 50
/** Polls that ended are recorded together: so many, or those of so many ms. */
const RECORDED = 50
const RECORD_AFTER_MS = 500
/** For this long after the lease, ms, a poll uses what was read with the lease. Later it reads again. */
const FRESH_MS = 10_000
/** Most stored pages that are read with the lease. If there are more, the poll reads them itself: waiting polls must stay small. */
const MOST_PAGES = 20
/** A shard that waits for work looks this often whether it should end, ms. */
const LISTEN_MS = 1_000
/** At most this often a heartbeat tells the counts. */
const BEAT_MS = 20_000
/** Integrations that a result names, of each kind. */
const NAMED = 50

interface Leased {
  poll: DuePoll
  connection: Connection | undefined
  beforehand: Beforehand | undefined
  readAt: number
}

/** A shard's run: leases what is due, polls it, waits for more, for a minute in all. */
export async function pollDue(deps: ActivityDeps, input: { shard: number; pace: Pace }): Promise<ShardTotals> {
  const context = Context.current()
  const { retryMs, heartbeatMs } = input.pace
  const everyMs = deps.polling.intervalSeconds * 1000
  const { runId: owner = '', workflowId = '' } = context.info.workflowExecution ?? {}
  const totals: ShardTotals = {
    ...{ polled: 0, unfinished: 0, failed: 0, withNews: [], withProblems: [] },
    ...{ pages: 0, seen: 0, created: 0, changed: 0, quarantined: 0, enriched: 0 },
  }
  const all = new AbortController()
  // Each poll listens.
  setMaxListeners(0, all.signal)
  const cut = () => all.abort()
  context.cancellationSignal.addEventListener('abort', cut)
  const queue: Leased[] = []
  const places = createPlaces(eventLoopIsBusy)
  const ended: EndedPoll[] = []
  const changed = createBell()
  const record = async () => {
    if (ended.length > 0) await recordPolls(deps.db, ended.splice(0), { workflowId, retryMs, everyMs })
  }

  /** Merchants that the last lease left out, because all their places are taken. */
  let leftOut: string[] = []
  /** @returns whether more may be due */
  const lease = async (limit: number): Promise<boolean> => {
    leftOut = [...new Set(queue.map(({ poll }) => poll.merchantUuid))]
    const held = [...places.ids(), ...queue.map(({ poll }) => poll.integrationId), ...ended.map(idOf)]
    const takeover = context.info.attempt > 1 ? { held } : null
    const share = { perMerchant: SHARE, without: leftOut }
    const polls = await leaseDue(deps.db, { owner, limit, retryMs, takeover, ...share })
    if (polls.length === 0) return false
    const readAt = Date.now()
    const ids = polls.map(({ integrationId }) => integrationId)
    const [connections, known] = await Promise.all([
      loadConnections(deps.db, ids),
      readBeforehand(deps.db, ids, MOST_PAGES),
    ])
    const byId = new Map(connections.map((one) => [one.integrationId, one]))
    for (const poll of polls) {
      const { integrationId: id } = poll
      queue.push({ poll, connection: byId.get(id), beforehand: known.get(id), readAt })
    }
    const ofSame = ({ merchantUuid }: DuePoll) => polls.filter((one) => one.merchantUuid === merchantUuid).length
    return polls.length === limit || polls.some((one) => ofSame(one) === SHARE)
  }
  const mayTakeMore = () => leftOut.some((uuid) => !queue.some(({ poll }) => poll.merchantUuid === uuid))

  const start = ({ poll, connection, readAt, ...read }: Leased) => {
    places.take(poll)
    const { signal } = all
    const beforehand = Date.now() - readAt < FRESH_MS ? read.beforehand : undefined
    void pollOnce(deps, { poll, connection, beforehand, signal, stallMs: heartbeatMs }).then((result) => {
      places.leave(poll)
      count(totals, poll.integrationId, result)
      if (result.ended !== 'lost') ended.push({ poll, ...result.ended })
      changed.ring()
    })
  }

  const beat = setInterval(
    () => context.heartbeat({ polled: totals.polled, failed: totals.failed, seen: totals.seen }),
    Math.min(BEAT_MS, heartbeatMs / 3),
  )
  const endsAt = Date.now() + RUN_MS
  const lookEveryMs = Math.min(5_000, Math.max(250, everyMs / 60))
  let lookAt = 0
  let recordAt = 0
  try {
    for (;;) {
      const going = Date.now() < endsAt && !all.signal.aborted && !(deps.stopping?.() ?? false)
      const room = LEASED - queue.length - places.size
      const looks = going && (Date.now() >= lookAt || mayTakeMore())
      if (looks && places.open() && places.next(queue) < 0 && room > 0)
        lookAt = (await lease(Math.min(SLICE, room))) ? 0 : Date.now() + lookEveryMs
      if (going)
        for (let next = places.next(queue); next >= 0; next = places.next(queue))
          start(...(queue.splice(next, 1) as [Leased]))
      if (ended.length >= RECORDED || places.size === 0 || Date.now() >= recordAt) {
        await record()
        recordAt = Date.now() + RECORD_AFTER_MS
      }
      if (!going && places.size === 0) break
      if (places.size > 0) await changed.wait(RECORD_AFTER_MS)
      else if (queue.length === 0) {
        const pause = Math.min(lookAt, endsAt) - Date.now()
        if (await (deps.due ?? changed).wait(Math.min(Math.max(pause, 0), LISTEN_MS))) lookAt = 0
      }
    }
  } finally {
    clearInterval(beat)
    context.cancellationSignal.removeEventListener('abort', cut)
    all.abort()
    while (places.size > 0) await changed.wait(RECORD_AFTER_MS)
    for (const { poll } of queue.splice(0))
      ended.push({ poll, result: 'returned', listed: false, reason: null, moved: null })
    // If the database is unavailable, the leases expire.
    await record().catch(() => undefined)
  }
  if (context.cancellationSignal.aborted) await context.cancelled
  return totals
}

const idOf = ({ poll }: EndedPoll) => poll.integrationId

function count(totals: ShardTotals, integrationId: string, { ended, ...read }: TurnResult): void {
  for (const key of ['pages', 'seen', 'created', 'changed', 'quarantined', 'enriched'] as const)
    totals[key] += read[key]
  const name = (list: string[]) => list.length < NAMED && list.push(integrationId)
  if (read.created + read.changed + read.quarantined > 0) name(totals.withNews)
  if (ended === 'lost') return
  if (ended.listed) totals.polled++
  if (ended.result === 'more' || ended.result === 'returned') totals.unfinished++
  if (ended.result === 'failed' || ended.result === 'stopped') {
    totals.failed++
    name(totals.withProblems)
  }
}
