import { asyncLocalStorage, CancelledFailure, Context } from '@temporalio/activity'
import { PspError } from '../../../adapters/errors.ts'
import type { Connection } from '../../../db/integrations/connections.ts'
import type { Beforehand } from '../../../db/polling/beforehand.ts'
import type { DuePoll, EndedPoll } from '../../../db/polling/due.ts'
import { LeaseLost, releaseLease } from '../../../db/polling/lease.ts'
import type { PollTotals } from '../../contract.ts'
import type { ActivityDeps } from '../deps.ts'
import { recordRefusedCredential } from '../integrations/verification.ts'
import { enrichChargebacks } from './enriching.ts'
import { type HeldPoll, ingestPages } from './polling.ts'

/** Pages of one turn, and the transactions behind new chargebacks: then the others of the shard have theirs. */
const SLICE_MS = 20_000
const ENRICHING_MS = 20_000
/** The longest turn, ms: hints, one page of a slow PSP, and a sweep may come on top of a slice. */
const TURN_MS = 4 * 60 * 1000

/** What a poll read, and how it ended; `lost`: somebody else has its lease, and records it. */
export interface TurnResult extends PollTotals {
  ended: Omit<EndedPoll, 'poll'> | 'lost'
}

interface Turn {
  poll: DuePoll
  connection: Connection | undefined
  /** Absent: it is read when the poll begins. */
  beforehand: Beforehand | undefined
  /** Ends all polls of the shard. */
  signal: AbortSignal
  /** Without any progress for so long it is ended, ms. */
  stallMs: number
}

/** Polls a leased integration for one turn. Never throws. */
export async function pollOnce(
  deps: ActivityDeps,
  { poll, connection, beforehand, signal, stallMs }: Turn,
): Promise<TurnResult> {
  const totals: PollTotals = { pages: 0, seen: 0, created: 0, changed: 0, quarantined: 0, enriched: 0 }
  const { integrationId } = poll
  if (!connection) return { ...totals, ended: { result: 'stopped', listed: false, reason: null, moved: null } }
  const state = { sliceMs: SLICE_MS, moved: null, listed: false }
  const held: HeldPoll = { connection, lease: poll, ...(beforehand && { beforehand }), ...state }
  const as = (result: EndedPoll['result'], reason: string | null = null): TurnResult => ({
    ...totals,
    ended: { result, listed: held.listed, reason, moved: held.moved },
  })
  const own = new AbortController()
  const late = () => own.abort(new CancelledFailure('TIMED_OUT'))
  const cut = () => own.abort(new CancelledFailure('CANCELLED'))
  signal.addEventListener('abort', cut)
  const turn = setTimeout(late, TURN_MS)
  let stall = setTimeout(late, stallMs)
  const progress = () => {
    clearTimeout(stall)
    stall = setTimeout(late, stallMs)
  }
  const aborted = new Promise<never>((_, reject) =>
    own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true }),
  )
  aborted.catch(() => undefined)
  const work = async (): Promise<TurnResult> => {
    const ingested = await ingestPages(deps, { integrationId }, held)
    for (const key of ['pages', 'seen', 'created', 'changed', 'quarantined'] as const) totals[key] += ingested[key]
    if (ingested.stopped === 'credential refused') await recordRefusedCredential(deps, { integrationId })
    if (ingested.stopped) return as('stopped')
    if (!ingested.done) return as('more')
    const started = Date.now()
    for (let more = ingested.withoutContext; more; ) {
      if (Date.now() - started > ENRICHING_MS) return as('more')
      const enriched = await enrichChargebacks(deps, { integrationId })
      totals.enriched += enriched.enriched
      more = !enriched.done
    }
    return as('done')
  }
  try {
    if (signal.aborted) return as('returned')
    // What hangs and hears no signal is left behind: without the lease it writes nothing any more.
    return await Promise.race([within({ integrationId, signal: own.signal, aborted, progress }, work), aborted])
  } catch (error) {
    if (signal.aborted) return as('returned')
    if (error instanceof LeaseLost) {
      // An integration that was deactivated is never leased again. If another poll holds the lease, it keeps it.
      await releaseLease(deps.db, poll).catch(() => undefined)
      return { ...totals, ended: 'lost' }
    }
    deps.log.warn({ integrationId, reason: kindOf(error, own.signal) }, 'poll failed')
    return as('failed', own.signal.aborted ? 'The PSP did not respond in time.' : null)
  } finally {
    clearTimeout(turn)
    clearTimeout(stall)
    signal.removeEventListener('abort', cut)
  }
}

/** Messages of libraries carry addresses and keys. */
function kindOf(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'timed out'
  if (error instanceof PspError) return error.kind
  return error instanceof Error ? error.name : 'error'
}

interface Own {
  integrationId: string
  signal: AbortSignal
  aborted: Promise<never>
  progress: () => void
}

/** Runs `work` as if it were a separate activity: everything below reads its cancellation from `Context.current()`. */
function within<Result>(own: Own, work: () => Promise<Result>): Promise<Result> {
  const { info, log, metricMeter } = Context.current()
  const named = { ...info, activityType: 'ingestPages', activityId: `${info.activityId}:${own.integrationId}` }
  const context = new Context(named, own.aborted, own.signal, own.progress, undefined, log, metricMeter, {})
  return asyncLocalStorage.run(context, work)
}
