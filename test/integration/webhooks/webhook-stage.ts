import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { fanOut } from '../../../db/webhooks/fan-out.ts'
import { leaseEndpoint } from '../../../db/webhooks/leases.ts'
import { startEngine } from '../../../webhooks/engine.ts'
import { createPoster } from '../../../webhooks/post.ts'
import { runTurn, type TurnDeps } from '../../../webhooks/turn.ts'
import { createStage, RECEIVERS } from '../api/stage.ts'

export type WebhookStage = Awaited<ReturnType<typeof openWebhooks>>

/**
 * The interface with its own database, and the deliveries of a worker. Events are written as the sequencer writes them,
 * and their bodies have ids only: what an event contains is tested with the log.
 */
export async function openWebhooks() {
  const stage = await createStage()
  const { db, ring, call } = stage
  const counts: [string, number | null][] = []
  const lines: [string, object][] = []
  const log = (level: string) => (fields: object, message?: string) => void lines.push([`${level} ${message}`, fields])
  const deps = (timeoutMs: number): TurnDeps & Disposable => {
    const poster = createPoster({ ...RECEIVERS, timeoutMs })
    return {
      ...{ db, ring, poster, now: () => new Date() },
      log: { info: log('info'), warn: log('warn') } as TurnDeps['log'],
      counted: (...one) => void counts.push(one),
      render: async (_endpoint, due) =>
        new Map(due.map(({ eventId, type }) => [eventId, { body: bodyOf(eventId, type), occurredAt: new Date() }])),
      [Symbol.dispose]: () => poster[Symbol.dispose](),
    }
  }
  const quick = deps(600)
  return {
    stage,
    counts,
    lines,
    /** Is called when a turn disables an endpoint. */
    onDisabled(disabled: NonNullable<TurnDeps['disabled']>) {
      quick.disabled = disabled
    },
    /** @returns the response to the creation of an endpoint */
    async create(url: string, more: object = {}, as: Parameters<typeof call>[2] = {}) {
      const { status, body } = await call('POST', '/v1/webhook-endpoints', {
        body: { url, events: ['*'], ...more },
        ...as,
      })
      if (status !== 201) throw new Error(`${status} ${body.message}`)
      return body as { id: string; secret: string; publicKey?: string }
    },
    read: async (id: string) => (await call('GET', `/v1/webhook-endpoints/${id}`)).body.data,
    deliveries: async (id: string, query = '') =>
      (await call('GET', `/v1/webhook-endpoints/${id}/deliveries?limit=100${query}`)).body.data,
    /** Events of the merchant, with their deliveries. @returns their ids */
    async events(
      count: number,
      { type = 'chargeback.updated', merchantUuid = stage.merchantUuid, quiet = false } = {},
    ) {
      const ids = Array.from({ length: count }, () => uuidv7())
      await db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ after: bigint; to: bigint }>`
          update event_state set position = position + ${count} returning position - ${count}::bigint as after, position as to`.execute(
          trx,
        )
        const { after, to } = rows[0] as (typeof rows)[number]
        await sql`
          insert into event (position, event_id, merchant_uuid, type, subject, quiet, occurred_at)
          select ${after}::bigint + n, id, ${merchantUuid}, ${type}, ${merchantUuid}, ${quiet}, now()
          from unnest(${ids}::uuid[]) with ordinality as u(id, n)`.execute(trx)
        await fanOut(trx, { after, to })
      })
      return ids
    },
    /** Has everything that waits be due now. */
    async hurry() {
      await sql`update webhook_delivery set next_attempt_at = least(next_attempt_at, now()) where state = 'pending'`.execute(
        db,
      )
      await sql`update webhook_endpoint set not_before = null, due_at = least(due_at, now()) where due_at is not null`.execute(
        db,
      )
    },
    /** One turn of the endpoint that has waited longest. @returns its id; null if none is due */
    async turn() {
      const endpoint = await leaseEndpoint(db)
      if (endpoint) await runTurn(quick, endpoint)
      return endpoint?.endpointId ?? null
    },
    engine: (slots = 20, timeoutMs = 600) =>
      startEngine({ ...deps(timeoutMs), databaseUrl: stage.database.url, slots }),
    async [Symbol.asyncDispose]() {
      quick[Symbol.dispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

const bodyOf = (eventId: string, type: string) =>
  Buffer.from(JSON.stringify({ id: eventId, type, word: 'Überfall 🦊' }))
