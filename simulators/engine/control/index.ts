import { type Context, Hono } from 'hono'
import type { FileRecord, JsonObject } from '../contract.ts'
import { ImpossibleOrder } from '../create.ts'
import type { DisputeEngine } from '../engine.ts'
import { sendNotifications } from '../notify.ts'
import { controlAccounts } from './accounts.ts'
import * as bodies from './bodies.ts'
import { controlDisputes } from './disputes.ts'

/**
 * The control surface of one simulator, JSON in and out, to be mounted next to (never under) the PSP's own address.
 *
 * As adapters/framework.md describes; beyond it: `GET /`, `GET /disputes`, `GET|PATCH|DELETE /disputes/{ref}`,
 * `GET /faults`, `GET /holds`, `GET /clock`, `POST|GET /subscriptions`, `DELETE /subscriptions/{id}` (events
 * are sent to an address as they happen), `GET|POST /accounts` and `POST /accounts/{account}/keys`, `DELETE
 * /accounts/{account}/keys/{key}` (a credential is issued, changes hands, is revoked), `GET /files/{id}` and `/files/{id}/content`, and the filters
 * `?ref= &kind= &method= &path= &after=<id> &limit=` of `GET /calls` and `GET /effects`.
 */
export function controlRoutes(engine: DisputeEngine): Hono {
  const app = new Hono()
  app.use('*', async (_, next) => {
    engine.applyDue()
    await next()
    engine.flush()
  })
  app.onError((error, c) => {
    if (error instanceof bodies.BadBody || error instanceof ImpossibleOrder)
      return c.json({ error: error.message }, 400)
    return c.json({ error: `the simulator failed: ${error.message}` }, 500)
  })
  app.notFound((c) => c.json({ error: `no such control: ${c.req.method} ${c.req.path}` }, 404))

  app.get('/', (c) =>
    c.json({
      homeAccount: engine.profile.homeAccount,
      notificationSecret: engine.signingSecretOf(engine.profile.homeAccount),
      now: new Date(engine.now() * 1000).toISOString(),
      calls: engine.ledger.totalCalls(),
      effects: engine.ledger.effects.length,
    }),
  )
  app.route('/disputes', controlDisputes(engine))
  app.route('/accounts', controlAccounts(engine))

  app.get('/clock', (c) => c.json(clockOf(engine)))
  app.post('/clock', async (c) => {
    engine.moveClock(bodies.parseBody(bodies.clockBody, await c.req.text()).seconds)
    return c.json(clockOf(engine))
  })

  app.get('/faults', (c) => c.json({ faults: engine.faults.list() }))
  app.post('/faults', async (c) => {
    const { kind, count, match, retryAfter, delayMs } = bodies.parseBody(bodies.faultBody, await c.req.text())
    const fault = engine.faults.arm({
      kind,
      left: count,
      match,
      retryAfter,
      delayMs: delayMs ?? (kind === 'trickle' ? 1000 : 3000),
    })
    return c.json(fault, 201)
  })
  app.delete('/faults', (c) => c.json({ cleared: engine.faults.clear() }))

  app.get('/holds', (c) => c.json({ holds: engine.holds.list() }))
  app.get('/holds/:id', (c) => {
    const hold = engine.holds.list().find((candidate) => candidate.id === c.req.param('id'))
    return hold ? c.json(hold) : c.json({ error: 'no such hold, or it was released' }, 404)
  })
  app.post('/holds', async (c) => {
    const order = bodies.parseBody(bodies.holdBody, await c.req.text())
    return c.json(engine.holds.arm(order.match ?? {}, order.then, order.count), 201)
  })
  app.delete('/holds/:id', (c) => {
    const hold = engine.holds.release(c.req.param('id'))
    return hold
      ? c.json({ released: hold.held.length, hold })
      : c.json({ error: 'no such hold, or it was released' }, 404)
  })

  app.post('/notifications', async (c) => {
    const order = bodies.parseBody(bodies.notificationBody, await c.req.text())
    const record = order.ref === undefined ? undefined : engine.find(order.ref, order.account)
    if (order.ref !== undefined && !record) return c.json({ error: `no dispute ${order.ref}` }, 404)
    const account = order.account ?? record?.account ?? engine.profile.homeAccount
    return c.json({ deliveries: await sendNotifications(engine, { ...order, account }) })
  })

  app.get('/subscriptions', (c) => c.json({ subscriptions: engine.subscriptions.list() }))
  app.post('/subscriptions', async (c) => {
    const order = bodies.parseBody(bodies.subscriptionBody, await c.req.text())
    const account = order.account ?? engine.profile.homeAccount
    engine.access.open(account)
    return c.json(engine.subscriptions.add({ ...order, account }), 201)
  })
  app.delete('/subscriptions/:id', (c) => {
    const subscription = engine.subscriptions.remove(c.req.param('id'))
    return subscription ? c.json(subscription) : c.json({ error: 'no such subscription' }, 404)
  })

  app.get('/calls', (c) => {
    const { method, path } = c.req.query()
    const calls = engine.ledger.calls.filter(
      (call) => (!method || call.method === method.toUpperCase()) && (!path || call.path.includes(path)),
    )
    return c.json({ total: engine.ledger.totalCalls(), calls: windowOf(c, calls) })
  })
  app.get('/effects', (c) => {
    const { ref, kind } = c.req.query()
    const effects = engine.ledger.effects.filter(
      (effect) => (!ref || effect.ref === ref) && (!kind || effect.kind === kind),
    )
    return c.json({ total: effects.length, effects: windowOf(c, effects) })
  })

  app.get('/files/:id', (c) => {
    const file = fileOf(engine, c.req.param('id'))
    if (!file) return c.json({ error: 'no such file' }, 404)
    const { content: _, ...facts } = file
    return c.json(facts)
  })
  app.get('/files/:id/content', (c) => {
    const file = fileOf(engine, c.req.param('id'))
    return file ? c.body(new Uint8Array(file.content)) : c.json({ error: 'no such file' }, 404)
  })
  return app
}

/** Oldest first; `after` is the id of the last one seen. */
function windowOf<T extends { id: number }>(c: Context, records: T[]): T[] {
  const after = Number(c.req.query('after') ?? 0)
  const limit = Number(c.req.query('limit') ?? Number.POSITIVE_INFINITY)
  if (Number.isNaN(after) || Number.isNaN(limit)) throw new bodies.BadBody('after and limit must be numbers')
  return records.filter((record) => record.id > after).slice(0, limit)
}

function clockOf(engine: DisputeEngine): JsonObject {
  return { now: new Date(engine.now() * 1000).toISOString(), offsetSeconds: engine.clockOffset() }
}

function fileOf(engine: DisputeEngine, id: string): FileRecord | undefined {
  for (const account of engine.accounts()) {
    const file = account.fileById.get(id)
    if (file) return file
  }
  return undefined
}
