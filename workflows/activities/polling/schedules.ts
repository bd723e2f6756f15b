import { enqueue } from '../../../db/core/outbox.ts'
import {
  quietIntegrations,
  type ScheduledIntegration,
  scheduledIntegrations,
} from '../../../db/integrations/connections.ts'
import { enterDispatch } from '../../../db/polling/dispatched.ts'
import { hurryPoll } from '../../../db/polling/due.ts'
import { type ExistingSchedule, type ExistingSchedules, existingSchedules } from '../../starters/existing-schedules.ts'
import { syncSchedule, toDispatch, wantedMode } from '../../starters/poll-modes.ts'
import { triggerPoll } from '../../starters/schedules.ts'
import { deleteShards, syncShards, triggerShards } from '../../starters/shards.ts'
import type { ActivityDeps } from '../deps.ts'

/** Integrations per statement. */
const SLICE = 100
/** Schedules are made and mended for this long in one run. */
const MENDING_MS = 20_000
/** Listing them takes seconds where there are thousands: this process does nothing else at most a twentieth of its time. */
const LISTING_SHARE = 20

/**
 * Every verified integration is polled as the mode says: by one schedule each, paused as its row says, or by the shards.
 * Commands wait for it to end: it takes a part of a run's time only, and the next one goes on.
 */
export function scheduleReconciler(deps: ActivityDeps): () => Promise<number> {
  let listAgainAt = 0
  return async () => {
    const started = Date.now()
    if (started < listAgainAt) return 0
    const mode = await wantedMode(deps)
    const existing = await existingSchedules(deps.temporal)
    const listedFor = Date.now() - started
    const reconcile = mode === 'dispatch' ? dispatch : schedule
    const { mended, complete } = await reconcile(deps, existing, started + listedFor + MENDING_MS)
    if (complete) listAgainAt = Date.now() + listedFor * LISTING_SHARE
    return mended
  }
}

interface Reconciled {
  mended: number
  /** Nothing is left for the next run. */
  complete: boolean
}

/** Shards end when no integration is theirs any more. */
async function schedule(deps: ActivityDeps, existing: ExistingSchedules, endsAt: number): Promise<Reconciled> {
  const wanted = new Map((await scheduledIntegrations(deps.db)).map((one) => [one.integrationId, one]))
  let mended = 0
  for (const integrationId of new Set([...wanted.keys(), ...existing.polls.keys()])) {
    if (desiredState(deps, wanted.get(integrationId), existing.polls.get(integrationId))) continue
    if (Date.now() > endsAt) return { mended, complete: false }
    await syncSchedule(deps, integrationId)
    mended++
  }
  return { mended: mended + (await deleteShards(deps.temporal, existing.shards)), complete: true }
}

/** An operator's own pause in the UI stands; only a pause that the row asks for is enforced. */
function desiredState(
  { polling }: ActivityDeps,
  integration: ScheduledIntegration | undefined,
  found: ExistingSchedule | undefined,
): boolean {
  if (!integration || !found) return !integration && !found
  if (integration.dispatched || found.every !== polling.intervalSeconds * 1000) return false
  const paused = integration.paused || integration.status !== 'SUCCESSFUL'
  return found.paused === paused || found.pausedElsewhere
}

/** What has a schedule moves one by one, what has none by hundreds. */
async function dispatch(deps: ActivityDeps, { polls, shards }: ExistingSchedules, endsAt: number): Promise<Reconciled> {
  let mended = await syncShards(deps.temporal, shards, deps.polling)
  for (const [integrationId, found] of polls) {
    if (Date.now() > endsAt) return { mended, complete: false }
    await toDispatch(deps, integrationId, found)
    mended++
  }
  const rhythm = { everyMs: deps.polling.intervalSeconds * 1000 }
  for (let moved = SLICE; moved === SLICE; mended += moved)
    moved = await enterDispatch(deps.db, { limit: SLICE }, rhythm)
  return { mended, complete: true }
}

/** A schedule can stop firing without a word: polls that went quiet are triggered. */
export async function triggerQuietPolls(deps: ActivityDeps): Promise<number> {
  const quiet = await quietIntegrations(deps.db, deps.polling.intervalSeconds * 3 + 30, SLICE)
  let triggered = 0
  let dispatched = 0
  for (const integrationId of quiet) {
    try {
      if (await hurryPoll(deps.db, integrationId)) dispatched++
      // What somebody paused in the Temporal UI is quiet as they wish.
      else if (!(await triggerPoll(deps.temporal, integrationId, deps.now(), { unpaused: true }))) continue
      deps.log.warn({ integrationId }, 'overdue poll triggered')
    } catch {
      await enqueue(deps.db, { kind: 'sync_schedule', payload: { integrationId } })
    }
    triggered++
  }
  if (dispatched > 0) await triggerShards(deps.temporal, deps.polling)
  return triggered
}
