import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { StoredResponse } from '../engine/contract.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { badParameter, keyInUse, keyReused, StripeRefusal } from './errors.ts'
import { API_VERSION, type Permission } from './keys.ts'
import { type Parameters, readParameters, type Specs } from './parameters.ts'

export interface StripeRequest {
  engine: DisputeEngine
  account: Account
  caller: Caller
  parameters: Parameters
  /** Path parameter. */
  id: string
  idempotencyKey: string | null
  requestId: string
  upload: Upload | null
}

export interface Upload {
  name: string
  bytes: Buffer
  sha256: string
}

export interface Endpoint {
  permission: Permission
  specs: Specs
  /** Returns the JSON text of a 200. */
  run(request: StripeRequest): string
  multipart?: true
}

/** One endpoint of the API: checks key, version, account, parameters, idempotency; responds with Stripe's headers. */
export function endpoint(engine: DisputeEngine, { permission, specs, run, multipart }: Endpoint) {
  return async (c: Context<SimulatorEnv>): Promise<Response> => {
    const key = c.req.header('idempotency-key') ?? null
    const call = c.get('call')
    try {
      const caller = authenticate(engine, c.req.header(), permission)
      const account = engine.account(caller.account)
      call.account = account.id
      const { parameters, upload } = await readRequest(c, specs, multipart === true)
      const request: StripeRequest = {
        engine,
        account,
        caller,
        parameters,
        upload,
        id: c.req.param('id') ?? '',
        idempotencyKey: c.req.method === 'POST' ? key : null,
        requestId: call.requestId,
      }
      if (request.idempotencyKey === null) return answer(c, 200, run(request), {})
      return once(c, request, run)
    } catch (error) {
      if (error instanceof StripeRefusal) return answer(c, error.status, JSON.stringify({ error: error.error }), {})
      throw error
    }
  }
}

/** Executes a request the first time its key is seen, and repeats the stored response after that. */
function once(c: Context<SimulatorEnv>, request: StripeRequest, run: Endpoint['run']): Response {
  const { engine, account } = request
  const key = request.idempotencyKey ?? ''
  if (key.length > 255) throw badParameter('Idempotency-Key', 'Idempotency keys may have at most 255 characters')
  if (engine.answers.inFlight.has(key)) throw keyInUse(key)
  const fingerprint = fingerprintOf(c, request)
  const stored = engine.answers.find(`${account.id} ${key}`, engine.now())
  if (stored && stored.fingerprint !== fingerprint) throw keyReused(key)
  if (stored) return answer(c, stored.status, stored.body, { 'idempotent-replayed': 'true' })

  const fresh: StoredResponse = { key: `${account.id} ${key}`, at: engine.now(), fingerprint, status: 200, body: '' }
  const fault = c.get('fault')
  if (fault === '500_stored') {
    Object.assign(fresh, { status: 500, body: engine.profile.errorResponse('500', undefined).body })
  } else {
    try {
      fresh.body = run(request)
    } catch (error) {
      if (!(error instanceof StripeRefusal) || !error.executed) throw error
      Object.assign(fresh, { status: error.status, body: JSON.stringify({ error: error.error }) })
    }
    if (fault === '500_after_apply') {
      Object.assign(fresh, { status: 500, body: engine.profile.errorResponse('500', undefined).body })
    }
  }
  engine.answers.store(fresh)
  return answer(c, fresh.status, fresh.body, {})
}

/** Equal for equal parameters: a multipart boundary or the order of a form does not count. */
function fingerprintOf(c: Context<SimulatorEnv>, { parameters, upload }: StripeRequest): string {
  const sorted = (tree: Parameters): unknown =>
    Object.keys(tree)
      .toSorted()
      .map((name) => {
        const value = tree[name]
        return [name, typeof value === 'object' ? sorted(value) : value]
      })
  const what = [c.req.method, c.req.path, sorted(parameters), upload?.name ?? null, upload?.sha256 ?? null]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex')
}

async function readRequest(
  c: Context<SimulatorEnv>,
  specs: Specs,
  multipart: boolean,
): Promise<{ parameters: Parameters; upload: Upload | null }> {
  const query = new URL(c.req.url).search.slice(1)
  if (c.req.method === 'GET') return { parameters: readParameters(query, specs), upload: null }
  const body = c.get('body')
  const type = c.req.header('content-type') ?? ''
  if (multipart) return readUpload(body, type, specs)
  if (body.length > 0 && !type.startsWith('application/x-www-form-urlencoded')) {
    throw badParameter('Content-Type', `Invalid content type ${type}: send application/x-www-form-urlencoded`)
  }
  const encoded = [query, body.toString('utf8')].filter((part) => part !== '').join('&')
  return { parameters: readParameters(encoded, specs), upload: null }
}

async function readUpload(
  body: Buffer,
  type: string,
  specs: Specs,
): Promise<{ parameters: Parameters; upload: Upload | null }> {
  if (!type.startsWith('multipart/form-data')) {
    throw badParameter('Content-Type', `Invalid content type ${type}: files are uploaded as multipart/form-data`)
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData().catch(() => {
    throw badParameter('file', 'The multipart body could not be read')
  })
  let upload: Upload | null = null
  const fields: string[] = []
  for (const [name, value] of form) {
    if (name === 'file' && typeof value !== 'string') {
      const bytes = Buffer.from(await value.arrayBuffer())
      upload = { name: value.name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
    } else fields.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  }
  return { parameters: readParameters(fields.join('&'), specs), upload }
}

function answer(c: Context<SimulatorEnv>, status: number, body: string, headers: Record<string, string>): Response {
  const key = c.req.header('idempotency-key')
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json',
      'request-id': c.get('call').requestId,
      'stripe-version': API_VERSION,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
  })
}
