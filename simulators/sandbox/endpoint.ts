import type { Context } from 'hono'
import { credentialState, isUnknownAccount } from '../../adapters/sandbox/credentials.ts'
import { asRecord } from '../../adapters/shared/raw-json.ts'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { executeOnce } from '../engine/execute-once.ts'
import { errorBody, SandboxRefusal } from './responses.ts'

export interface SandboxRequest {
  engine: DisputeEngine
  account: Account
  /** Path parameter. */
  id: string
  query: URLSearchParams
  body: Record<string, unknown>
  idempotencyKey: string | null
  requestId: string
}

export interface Endpoint {
  /** Allowed keys of a body; absent for a GET. */
  takes?: readonly string[]
  /** Returns the JSON text of a 200. */
  run(request: SandboxRequest): string
}

/** One endpoint: checks credential, account, body, idempotency. */
export function endpoint(engine: DisputeEngine, { takes, run }: Endpoint) {
  return (c: Context<SimulatorEnv>): Response => {
    const call = c.get('call')
    try {
      const key = demandCredential(c.req.header('authorization') ?? '')
      const account = accountOf(engine, key, c.req.param('account') ?? '')
      call.account = account.id
      const request: SandboxRequest = {
        engine,
        account,
        id: c.req.param('id') ?? '',
        query: new URL(c.req.url).searchParams,
        body: takes ? bodyOf(c, takes) : {},
        idempotencyKey: takes ? keyOf(c) : null,
        requestId: call.requestId,
      }
      return takes ? once(c, request, run) : answer(c, 200, run(request))
    } catch (error) {
      if (error instanceof SandboxRefusal) return answer(c, error.status, errorBody(error.code, error.message))
      throw error
    }
  }
}

/** @returns the secret. @throws SandboxRefusal 401, 403 */
function demandCredential(authorization: string): string {
  const [scheme, value = ''] = authorization.split(' ')
  const shown = scheme === 'Basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const colon = shown.indexOf(':')
  const user = decodeURIComponent(shown.slice(0, Math.max(0, colon)))
  const secret = shown.slice(colon + 1)
  const standing = colon < 0 ? 'refused' : credentialState({ user, secret })
  if (standing === 'refused') throw new SandboxRefusal(401, 'unauthorized', 'The credential is not known.')
  if (standing === 'restricted') throw new SandboxRefusal(403, 'forbidden', 'The credential may not do this.')
  return secret
}

/** Any text is an account, except those reserved for errors. An assigned credential can access no other account. */
function accountOf(engine: DisputeEngine, key: string, id: string): Account {
  const owner = engine.access.ownerOf(key)
  if (owner === null) throw new SandboxRefusal(401, 'unauthorized', 'The credential is not known.')
  if (isUnknownAccount(id) || (owner !== undefined && owner !== id)) {
    throw new SandboxRefusal(403, 'account_unreachable', 'The credential has no access to this account.')
  }
  return engine.account(id)
}

function bodyOf(c: Context<SimulatorEnv>, takes: readonly string[]): Record<string, unknown> {
  const type = c.req.header('content-type') ?? ''
  if (!type.startsWith('application/json'))
    throw new SandboxRefusal(415, 'invalid_request', 'The content type must be application/json.')
  const body = parsed(c.get('body').toString('utf8'))
  if (!body) throw new SandboxRefusal(400, 'invalid_request', 'The body must be a JSON object.')
  const unknown = Object.keys(body).find((key) => !takes.includes(key))
  if (unknown !== undefined) throw new SandboxRefusal(400, 'invalid_request', `unknown field ${unknown}`)
  return body
}

function keyOf(c: Context<SimulatorEnv>): string {
  const key = c.req.header('idempotency-key') ?? ''
  if (key === '' || key.length > 255)
    throw new SandboxRefusal(400, 'invalid_request', 'Idempotency-Key must have 1 to 255 characters.')
  return key
}

function once(c: Context<SimulatorEnv>, request: SandboxRequest, run: Endpoint['run']): Response {
  const { engine, account, idempotencyKey, body } = request
  const order = { account: account.id, key: idempotencyKey ?? '', request: body }
  const result = executeOnce(engine, c, order, () => {
    try {
      return run(request)
    } catch (error) {
      if (!(error instanceof SandboxRefusal) || !error.executed) throw error
      return { status: error.status, body: errorBody(error.code, error.message) }
    }
  })
  if (result === 'key in use') throw new SandboxRefusal(409, 'key_in_use', 'A request with this key is in progress.')
  if (result === 'key reused') throw new SandboxRefusal(400, 'key_reused', 'This key was used with another request.')
  return answer(c, result.status, result.body, result.replayed ? { 'idempotent-replayed': 'true' } : {})
}

function answer(c: Context<SimulatorEnv>, status: number, body: string, headers: Record<string, string> = {}) {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'request-id': c.get('call').requestId, ...headers },
  })
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}
