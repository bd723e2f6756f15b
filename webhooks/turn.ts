import pLimit from 'p-limit'
import type { Database } from '../db/core/connect.ts'
import { type KeyRing, open, sealContext } from '../db/core/seal.ts'
import { stopEndpoint } from '../db/webhooks/disabled.ts'
import { cancelLate } from '../db/webhooks/endpoint-changes.ts'
import {
  type AttemptResult,
  type DueDelivery,
  dueDeliveries,
  failOld,
  type LeasedEndpoint,
  returnLease,
} from '../db/webhooks/leases.ts'
import { TEST_EVENT } from '../domain/webhooks/endpoint.ts'
import { FAILING_AFTER } from '../domain/webhooks/retries.ts'
import { deliveryAfter, endpointAfter, endsTurn, isSuccess, type Posted } from '../domain/webhooks/turn-outcome.ts'
import type { Log } from '../process/log.ts'
import type { Poster } from './post.ts'
import { eventName } from './render.ts'
import { signedHeaders } from './sign.ts'

/** Deliveries of a turn, and how many of them are sent at once. */
const TURN = { most: 20, atOnce: 4 }
/** Nothing more is sent after this time, so that a turn ends before its lease. */
const LAST_START_MS = 30_000

export type Counted = 'delivered' | 'refused' | 'unreachable'

export interface RenderedEvent {
  body: Buffer
  occurredAt: Date
}

export interface TurnDeps {
  db: Database
  ring: KeyRing
  poster: Poster
  /** Bodies by event id; an event that the log no longer has is missing. */
  render(endpoint: LeasedEndpoint, due: readonly DueDelivery[], now: Date): Promise<Map<string, RenderedEvent>>
  log: Pick<Log, 'info' | 'warn'>
  /** Postgres' time: receivers compare the timestamps with theirs. */
  now(): Date
  /** For metrics. @param latencySeconds from the event to its 2xx; null if it was not the first attempt */
  counted(result: Counted, latencySeconds: number | null): void
  /** Called after an endpoint was disabled, because its receiver answered 410 or failed for five days. Never throws. */
  disabled?(endpoint: LeasedEndpoint, reason: 'gone' | 'unreachable'): Promise<void>
}

interface Attempted {
  posted: Posted
  result: AttemptResult
}

/** Sends what is due for a leased endpoint, at most twenty deliveries, and returns the lease. */
export async function runTurn(deps: TurnDeps, endpoint: LeasedEndpoint): Promise<void> {
  const { endpointId } = endpoint
  // A failing endpoint is tried with one delivery; the others wait and keep their attempts.
  const isFailing = endpoint.failures >= FAILING_AFTER
  if (endpoint.disabled) await cancelLate(deps.db, endpointId)
  if (isFailing) await failOld(deps.db, endpointId)
  const due = await dueDeliveries(deps.db, endpointId, isFailing ? 1 : TURN.most)
  const rendered = due.length > 0 ? await deps.render(endpoint, due, deps.now()) : new Map<string, RenderedEvent>()
  const attempted = await sendAll(deps, endpoint, due, rendered)
  const forgotten = due.filter(({ eventId }) => !rendered.has(eventId)).map((one) => notInLog(one, deps.now()))
  const after = endpointAfter(
    attempted.map(({ posted }) => posted),
    endpoint,
    deps.now(),
  )
  const results = [...attempted.map(({ result }) => result), ...forgotten]
  const reason = endpoint.disabled ? null : after.disabled
  await deps.db.transaction().execute(async (trx) => {
    await returnLease(trx, endpoint, results, after)
    if (reason) await stopEndpoint(trx, endpoint, reason)
  })
  if (!reason) return
  deps.log.warn({ endpointId, reason }, 'webhook endpoint disabled')
  await deps.disabled?.(endpoint, reason)
}

/** The log keeps events for a while only, and an erased object has no body. */
const notInLog = ({ deliveryId }: DueDelivery, at: Date): AttemptResult => ({
  ...{ deliveryId, state: 'failed', nextSeconds: 0 },
  attempt: { at, kind: 'not_in_log', durationMs: 0 },
})

async function sendAll(
  deps: TurnDeps,
  endpoint: LeasedEndpoint,
  due: readonly DueDelivery[],
  rendered: Map<string, RenderedEvent>,
): Promise<Attempted[]> {
  const keys = keysOf(deps.ring, endpoint)
  const attempted: Attempted[] = []
  const began = performance.now()
  let ended = false
  const turns = pLimit(TURN.atOnce)
  await Promise.all(
    due.map((delivery) =>
      turns(async () => {
        const event = rendered.get(delivery.eventId)
        if (!event || ended || performance.now() - began > LAST_START_MS) return
        const one = await send(deps, endpoint, { delivery, event, keys })
        attempted.push(one)
        ended ||= endsTurn(one.posted)
      }),
    ),
  )
  return attempted
}

function keysOf(ring: KeyRing, { endpointId, accountId, keysSealed, oldKeysSealed }: LeasedEndpoint): string[] {
  const context = sealContext.webhookEndpoint(endpointId, accountId)
  return [keysSealed, oldKeysSealed].flatMap((sealed) =>
    sealed === null ? [] : open(ring, sealed, context).split(' '),
  )
}

async function send(
  deps: TurnDeps,
  { endpointId, url }: LeasedEndpoint,
  { delivery, event, keys }: { delivery: DueDelivery; event: RenderedEvent; keys: string[] },
): Promise<Attempted> {
  const { deliveryId, attempts, type } = delivery
  const [at, began] = [deps.now(), performance.now()]
  const id = eventName(delivery.eventId)
  const posted = await deps.poster.post(url, signedHeaders({ id, at, body: event.body }, keys), event.body)
  const durationMs = Math.round(performance.now() - began)
  const isTest = type === TEST_EVENT
  const outcome = 'status' in posted ? { status: posted.status } : { kind: posted.kind }
  const isFirst = attempts === 0 && !isTest && !delivery.replayed
  const latency = isFirst && isSuccess(posted) ? (deps.now().getTime() - event.occurredAt.getTime()) / 1000 : null
  deps.counted(isSuccess(posted) ? 'delivered' : 'kind' in posted ? 'unreachable' : 'refused', latency)
  deps.log.info({ endpointId, eventId: id, ...outcome, durationMs }, 'webhook sent')
  const next = deliveryAfter(posted, { attempts, isTest }, deps.now())
  return { posted, result: { deliveryId, ...next, attempt: { at, ...outcome, durationMs } } }
}
