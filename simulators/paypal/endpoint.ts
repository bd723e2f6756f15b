import type { Context } from 'hono'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import type { Authenticator } from './authenticate.ts'
import { errorBody, invalid, nextDebugId, PayPalRefusal } from './errors.ts'
import type { Scope } from './keys.ts'
import { type Form, readForm } from './multipart.ts'
import { honourTestValue, type TestedOperation } from './test-values.ts'

export interface PayPalRequest {
  engine: DisputeEngine
  account: Account
  /** Path parameter. */
  id: string
  query: URLSearchParams
  /** Parsed JSON, or the part `input` of a form. */
  input: unknown
  form: Form | null
  /** The unchanged body. */
  text: string
  requestKey: string | null
  requestId: string
}

export interface Endpoint {
  scope: Scope
  /** Query parameters; any other is refused. */
  query?: readonly string[]
  /** Allowed media types of the body; absent = no body. */
  takes?: readonly ('json' | 'multipart')[]
  tested?: TestedOperation
  /** Of a success; absent = 200. */
  status?: number
  /** Returns the JSON text of a success. */
  run(request: PayPalRequest): string
}

const TYPES = { json: 'application/json', multipart: 'multipart/form-data' } as const

/** One endpoint: checks token, scope, media type and parameters; responds with PayPal's headers. */
export function endpoint(engine: DisputeEngine, authenticator: Authenticator, definition: Endpoint) {
  return (c: Context<SimulatorEnv>): Response =>
    answered(() => {
      const call = c.get('call')
      const caller = authenticator.authenticate(c.req.header('authorization') ?? '', definition.scope)
      call.account = caller.account
      const id = c.req.param('id') ?? ''
      if (definition.tested) honourTestValue(definition.tested, id)
      const query = new URL(c.req.url).searchParams
      checkQuery(query, definition.query ?? [])
      const body = bodyOf(c, definition)
      // PayPal guarantees nothing for its request id here: a 500 is not stored, and nothing was done.
      if (c.get('fault') === '500_stored') throw new PayPalRefusal(500, 'INTERNAL_SERVICE_ERROR')
      const { idempotencyKey: requestKey, requestId } = call
      return definition.run({
        engine,
        account: engine.account(caller.account),
        id,
        query,
        ...body,
        requestKey,
        requestId,
      })
    }, definition.status)
}

/** Runs `work`; converts a refusal to PayPal's error response. */
export function answered(work: () => string, status = 200): Response {
  const debugId = nextDebugId()
  const headers = { 'content-type': 'application/json', 'paypal-debug-id': debugId }
  try {
    return new Response(work(), { status, headers })
  } catch (error) {
    if (!(error instanceof PayPalRefusal)) throw error
    return new Response(errorBody(error, debugId), { status: error.status, headers })
  }
}

function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw new PayPalRefusal(400, 'INVALID_REQUEST', 'UNKNOWN_PARAMETER', `/${name}`)
    if (query.getAll(name).length > 1) throw new PayPalRefusal(400, 'INVALID_REQUEST', 'REPEATED_PARAMETER', `/${name}`)
  }
}

function bodyOf(c: Context<SimulatorEnv>, { takes = [] }: Endpoint): Pick<PayPalRequest, 'input' | 'form' | 'text'> {
  const body = c.get('body')
  if (takes.length === 0) return { input: null, form: null, text: '' }
  const type = c.req.header('content-type') ?? ''
  const kind = takes.find((candidate) => type.toLowerCase().startsWith(TYPES[candidate]))
  if (kind === undefined) throw new PayPalRefusal(415, 'UNSUPPORTED_MEDIA_TYPE')
  if (kind === 'multipart') {
    const form = readForm(body, type)
    return { input: form.input, form, text: '' }
  }
  const text = body.toString('utf8')
  try {
    return { input: text === '' ? {} : JSON.parse(text), form: null, text }
  } catch {
    throw invalid('MALFORMED_REQUEST_JSON', '/')
  }
}
