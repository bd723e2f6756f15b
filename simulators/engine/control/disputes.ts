import { Hono } from 'hono'
import type { DisputeRecord, JsonObject } from '../contract.ts'
import { createDisputes, ImpossibleOrder, minorUnits, plantDispute } from '../create.ts'
import { tokenOf } from '../draw.ts'
import type { DisputeEngine } from '../engine.ts'
import { malformedText } from '../malformed.ts'
import * as bodies from './bodies.ts'

/** The control interface under /disputes. */
export function controlDisputes(engine: DisputeEngine): Hono {
  const app = new Hono()
  const { profile } = engine

  app.post('/', async (c) => {
    const { raw, rawText, related, malformed, fields, ...order } = bodies.parseBody(
      bodies.createBody,
      await c.req.text(),
    )
    const account = order.account ?? profile.homeAccount
    for (const object of related ?? []) {
      if (typeof object.id !== 'string') throw new bodies.BadBody('related: every object needs an id')
      engine.plant(account, object.id, JSON.stringify(object))
    }
    const text = rawText ?? (raw === undefined ? undefined : JSON.stringify(raw))
    if (text !== undefined) {
      const reference =
        referenceIn(engine, text) ?? profile.referenceOf(tokenOf(22, engine.seed, 'planted', account, text))
      return c.json({ disputes: [shown(plantDispute(engine, account, reference, text))] }, 201)
    }
    const records = createDisputes(engine, { ...order, account })
    for (const record of records) {
      if (fields) engine.change(record, (dispute) => void Object.assign(dispute, fields))
      if (malformed) corruptRecord(engine, record, (profile.malformed ?? malformedText)(malformed, engine.read(record)))
    }
    return c.json({ disputes: records.map(shown) }, 201)
  })

  app.get('/', (c) => {
    const account = c.req.query('account') ?? profile.homeAccount
    const disputes = engine.knows(account) ? engine.account(account).disputes.all() : []
    return c.json({ total: disputes.length, disputes: disputes.map(shown) })
  })

  app.get('/:ref', (c) => {
    const record = engine.find(c.req.param('ref'), c.req.query('account'))
    return record ? c.json(detail(engine, record)) : c.json({ error: `no dispute ${c.req.param('ref')}` }, 404)
  })

  app.patch('/:ref', async (c) => {
    const record = engine.find(c.req.param('ref'), c.req.query('account'))
    if (!record) return c.json({ error: `no dispute ${c.req.param('ref')}` }, 404)
    const { status, amount, dueInHours, fields } = bodies.parseBody(bodies.patchBody, await c.req.text())
    const word = profile.situations.find((s) => s.word === status || s.status === status)?.word ?? status
    engine.change(record, (dispute) => {
      if (word !== undefined) profile.setStatus(dispute, word)
      if (amount !== undefined) setAmount(engine, dispute, amount)
      if (dueInHours !== undefined) {
        profile.setDeadline(dispute, dueInHours === null ? null : Math.round(engine.now() + dueInHours * 3600))
      }
      Object.assign(dispute, fields ?? {})
    })
    engine.applyDue()
    return c.json(detail(engine, record))
  })

  app.delete('/:ref', (c) => {
    const record = engine.find(c.req.param('ref'), c.req.query('account'))
    if (!record) return c.json({ error: `no dispute ${c.req.param('ref')}` }, 404)
    engine.remove(record)
    return c.json(shown(record))
  })

  app.post('/:ref/decide', async (c) => {
    const { outcome } = bodies.parseBody(bodies.decideBody, await c.req.text())
    const record = engine.find(c.req.param('ref'), c.req.query('account'))
    if (!record) return c.json({ error: `no dispute ${c.req.param('ref')}` }, 404)
    const refusal = profile.decide(engine.read(record), outcome, engine.now())
    if (refusal !== null) return c.json({ error: refusal }, 400)
    if (outcome === 'reopened') record.round += 1
    engine.setPending(record, null)
    engine.change(record, (dispute) => void profile.decide(dispute, outcome, engine.now()))
    return c.json(detail(engine, record))
  })
  return app
}

function setAmount(engine: DisputeEngine, dispute: JsonObject, decimal: string): void {
  const code = String(engine.profile.currencyOf?.(dispute) ?? dispute.currency).toUpperCase()
  const currency = engine.profile.currencies.find((candidate) => candidate.code === code)
  if (!currency) throw new ImpossibleOrder(`unknown currency ${code}`)
  engine.profile.setAmount(dispute, minorUnits(decimal, currency.exponent, code), code)
}

/** Replaces the PSP's object without running the PSP's logic. */
function corruptRecord(engine: DisputeEngine, record: DisputeRecord, text: string): void {
  record.text = text
  record.deadline = null
  engine.setPending(record, null)
}

function referenceIn(engine: DisputeEngine, text: string): string | null {
  try {
    return engine.profile.read(JSON.parse(text) as JsonObject).reference
  } catch {
    throw new bodies.BadBody('rawText must be JSON, or every page that shows it would be broken; use a fault for that')
  }
}

function shown(record: DisputeRecord): { ref: string; status: string; account: string } {
  return { ref: record.reference, status: record.word, account: record.account }
}

function detail(engine: DisputeEngine, record: DisputeRecord): JsonObject {
  const { round, deadline, pending } = record
  const when = (at: number | null): string | null => (at === null ? null : new Date(at * 1000).toISOString())
  return {
    ...shown(record),
    round,
    deadline: when(deadline),
    pending: pending && { outcome: pending.outcome, at: when(pending.at) },
    object: JSON.parse(engine.text(record)),
  }
}
