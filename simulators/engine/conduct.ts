import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import type { CallRecord, ErrorAnswerKind, FaultAnswer } from './contract.ts'
import { corrupt } from './corrupt.ts'
import type { DisputeEngine } from './engine.ts'
import type { Fault } from './faults.ts'

export interface SimulatorEnv {
  Bindings: HttpBindings
  Variables: {
    /** The complete request body, read before anything happens. */
    body: Buffer
    call: CallRecord
    /** A 500 that the PSP's own idempotency store must replay. */
    fault: '500_stored' | '500_after_apply' | undefined
  }
}
export type SimulatorApp = Hono<SimulatorEnv>

/** Adds the call log, holds and faults in front of a PSP's routes. */
export function conducted(engine: DisputeEngine, routes: SimulatorApp): SimulatorApp {
  const app: SimulatorApp = new Hono()
  app.use('*', async (c, next) => {
    const body = Buffer.from(await c.req.arrayBuffer())
    c.set('body', body)
    const call = beginCall(engine, c, body)
    c.set('call', call)
    const text = body.toString('latin1')
    if ((await held(engine, call, text)) === 'drop') return cut(engine, c, 'dropped')

    const fault = engine.faults.take(c.req.method, c.req.path, text)
    const answer = fault && (await failBefore(engine, c, fault, call))
    if (answer) return answer
    engine.applyDue()
    await next()
    call.outcome = c.res.headers.get('idempotent-replayed') === 'true' ? 'replayed' : 'answered'
    if (!fault) {
      engine.ledger.end(call, call.outcome, c.res.status)
      engine.flush()
      return
    }
    return failAfter(engine, c, fault)
  })
  app.route('/', routes)
  return app
}

function beginCall(engine: DisputeEngine, c: Context<SimulatorEnv>, body: Buffer): CallRecord {
  const { idempotencyHeader } = engine.profile
  return engine.ledger.begin({
    method: c.req.method,
    path: c.req.path,
    query: new URL(c.req.url).search.slice(1),
    account: null,
    idempotencyKey: (idempotencyHeader && c.req.header(idempotencyHeader)) || null,
    bodyBytes: body.length,
    bodySha256: body.length > 0 ? createHash('sha256').update(body).digest('hex') : null,
  })
}

async function held(engine: DisputeEngine, call: CallRecord, body: string): Promise<'apply' | 'drop'> {
  const waiting = engine.holds.take(call, body)
  if (!waiting) return 'apply'
  call.outcome = 'held'
  const key = call.idempotencyKey
  if (key !== null) engine.answers.inFlight.add(key)
  const release = await waiting
  if (key !== null) engine.answers.inFlight.delete(key)
  call.outcome = 'running'
  return release
}

/** Faults before the PSP processes the request. */
async function failBefore(
  engine: DisputeEngine,
  c: Context<SimulatorEnv>,
  fault: Fault,
  call: CallRecord,
): Promise<Response | undefined> {
  const end = (response: Response): Response => {
    engine.ledger.end(call, fault.kind, response.status)
    engine.flush()
    return response
  }
  const told = ({ status, body, headers }: FaultAnswer): Response =>
    end(new Response(body, { status, headers: { ...headers, 'request-id': call.requestId } }))
  const json = (kind: ErrorAnswerKind): Response => told(engine.profile.errorResponse(kind, fault.retryAfter))
  const html = (status: number, text: string): Response =>
    end(
      new Response(`<html><body><h1>${text}</h1></body></html>`, { status, headers: { 'content-type': 'text/html' } }),
    )

  if (['401', '403', '409', '429', '500'].includes(fault.kind)) return json(fault.kind as ErrorAnswerKind)
  if (fault.kind === '429_lock')
    return told(engine.profile.lockAnswer?.() ?? engine.profile.errorResponse('429', undefined))
  if (fault.kind === '422')
    return told(engine.profile.unprocessableAnswer?.() ?? engine.profile.errorResponse('409', undefined))
  if (fault.kind === '503_empty') return json('503')
  if (fault.kind === '502_html') return html(502, '502 Bad Gateway')
  if (fault.kind === '200_html') return html(200, 'Down for maintenance')
  if (fault.kind === 'redirect')
    return end(new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:9/' } }))
  if (fault.kind === 'reset') return cut(engine, c, fault.kind)
  if (fault.kind === 'timeout') return hang(engine, c, fault.kind)
  if (fault.kind === '500_stored' && call.idempotencyKey === null) return json('500')
  if (fault.kind === '500_stored' || fault.kind === '500_after_apply') c.set('fault', fault.kind)
  return undefined
}

/** Faults of a call that was applied. */
async function failAfter(engine: DisputeEngine, c: Context<SimulatorEnv>, fault: Fault): Promise<Response> {
  const call = c.get('call')
  if (fault.kind === 'reset_after_apply') return cut(engine, c, fault.kind)
  if (fault.kind === 'timeout_after_apply') return hang(engine, c, fault.kind)
  const corrupted = corrupt(fault, c.res.clone(), c.env.outgoing, engine)
  engine.ledger.end(call, fault.kind, c.res.status)
  engine.flush()
  return replaceAnswer(c, await corrupted)
}

/** Closes the connection without a response. */
function cut(engine: DisputeEngine, c: Context<SimulatorEnv>, outcome: string): Response {
  engine.ledger.end(c.get('call'), outcome, null)
  engine.flush()
  c.env.outgoing.socket?.resetAndDestroy()
  return silence(c)
}

/** Leaves the connection open without a response. */
function hang(engine: DisputeEngine, c: Context<SimulatorEnv>, outcome: string): Response {
  engine.ledger.end(c.get('call'), outcome, null)
  engine.flush()
  return silence(c)
}

function silence(c: Context<SimulatorEnv>): Response {
  return replaceAnswer(c, RESPONSE_ALREADY_SENT)
}

/** Without the headers of the replaced response. */
function replaceAnswer(c: Context<SimulatorEnv>, answer: Response): Response {
  c.res = undefined
  c.res = answer
  return answer
}
