import { gzipSync } from 'node:zlib'
import type { Context } from 'hono'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { BraintreeRefusal, malformedRequest } from './errors.ts'
import { belongsTo, keysOf, MERCHANTS, type Right } from './keys.ts'
import { BadXml, type Parsed, readXml } from './xml-reader.ts'

/** Options of a simulated Braintree; the responses of accept and finalize are not documented. */
export interface Switches {
  /** Body after accept and finalize. */
  answers: 'dispute' | 'space' | 'empty'
  pageSize: number
  /** Whether finalize without evidence is refused (95726); the real sandbox accepts it. */
  evidenceRequired: boolean
  /** Whether responses are compressed for clients that accept it. */
  gzip: boolean
}

export interface BraintreeRequest {
  engine: DisputeEngine
  switches: Switches
  account: Account
  id: string
  evidenceId: string
  page: number
  /** The decoded body, JSON or XML. */
  body: { [key: string]: Parsed }
  upload: { name: string; bytes: Buffer; kind: string } | null
  requestId: string
}

export interface Endpoint {
  right: Right
  multipart?: true
  run(request: BraintreeRequest): { status: 200 | 201; body: string } | Promise<{ status: 200 | 201; body: string }>
}

/** One endpoint below /merchants/{merchantId}: checks keys, version, merchant, permission and body; responds in XML. */
export function endpoint(engine: DisputeEngine, switches: Switches, { right, run, multipart }: Endpoint) {
  return async (c: Context<SimulatorEnv>): Promise<Response> => {
    try {
      const account = authenticate(engine, c, right)
      c.get('call').account = account.id
      const answer = await run({
        engine,
        switches,
        account,
        id: c.req.param('id') ?? '',
        evidenceId: c.req.param('evidenceId') ?? '',
        page: pageOf(c),
        body: multipart ? {} : bodyOf(c),
        upload: multipart ? await uploadOf(c) : null,
        requestId: c.get('call').requestId,
      })
      const compressed = switches.gzip && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '')
      return compressed ? zipped(answer.status, answer.body) : respond(answer.status, answer.body)
    } catch (error) {
      if (error instanceof BraintreeRefusal) return respond(error.status, error.body)
      throw error
    }
  }
}

export function respond(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/xml; charset=utf-8' } })
}

function zipped(status: number, body: string): Response {
  const headers = { 'content-type': 'application/xml; charset=utf-8', 'content-encoding': 'gzip' }
  return new Response(new Uint8Array(gzipSync(body)), { status, headers })
}

/** @throws BraintreeRefusal 401, 426, 404, 403 */
function authenticate(engine: DisputeEngine, c: Context<SimulatorEnv>, right: Right): Account {
  const merchant = c.req.param('merchant') ?? ''
  const keys = keysOf(c.req.header('authorization') ?? '', merchant)
  if (keys === undefined) throw new BraintreeRefusal(401)
  if (c.req.header('x-apiversion') !== '6') throw new BraintreeRefusal(426)
  const known = MERCHANTS.includes(merchant) || engine.knows(merchant)
  if (!known || !belongsTo(keys, merchant)) throw new BraintreeRefusal(404)
  if (!keys.rights.includes(right)) throw new BraintreeRefusal(403)
  return engine.account(merchant)
}

function pageOf(c: Context<SimulatorEnv>): number {
  const page = Number(c.req.query('page') ?? 1)
  if (!Number.isInteger(page) || page < 1) throw malformedRequest('page must be a number from 1')
  return page
}

/** JSON from the SDK for Node, XML from the others. */
function bodyOf(c: Context<SimulatorEnv>): { [key: string]: Parsed } {
  const text = c.get('body').toString('utf8')
  if (text === '') return {}
  const type = c.req.header('content-type') ?? ''
  try {
    if (/^(application|text)\/xml\b/.test(type)) return readXml(text)
    if (!/^application\/json\b/.test(type)) throw new BraintreeRefusal(415)
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as { [key: string]: Parsed }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof BadXml)) throw error
  }
  throw new BraintreeRefusal(400)
}

async function uploadOf(c: Context<SimulatorEnv>): Promise<BraintreeRequest['upload']> {
  const type = c.req.header('content-type') ?? ''
  if (!type.startsWith('multipart/form-data')) throw new BraintreeRefusal(415)
  const bytes = new Uint8Array(c.get('body'))
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => null)
  if (form === null) throw new BraintreeRefusal(400)
  const file = form.get('file')
  if (file === null || typeof file === 'string') return null
  // The SDK for Python also sends `kind`.
  const kind = String(form.get('document_upload[kind]') ?? form.get('kind') ?? '')
  return { name: file.name, bytes: Buffer.from(await file.arrayBuffer()), kind }
}
