import type { Context } from 'hono'
import type { Account } from '../engine/accounts.ts'
import type { SimulatorEnv } from '../engine/conduct.ts'
import type { DisputeRecord, FaultAnswer, JsonObject } from '../engine/contract.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { BASIC_USER, DEMO_KEY, RESTRICTED_KEY } from './keys.ts'

/** A response other than 200, as Adyen's ServiceError. */
export class AdyenRefusal extends Error {
  readonly answer: FaultAnswer

  constructor(status: number, errorCode: string, message: string, errorType = 'validation', transient?: boolean) {
    super(message)
    this.answer = serviceError(status, errorCode, message, errorType, transient)
  }
}

export function serviceError(
  status: number,
  errorCode: string,
  message: string,
  errorType: string,
  transient?: boolean,
): FaultAnswer {
  return {
    status,
    body: JSON.stringify({ status, errorCode, message, errorType }),
    headers: {
      'content-type': 'application/json;charset=UTF-8',
      ...(transient !== undefined && { 'transient-error': String(transient) }),
    },
  }
}

export const unauthorised = () => new AdyenRefusal(401, '000', 'HTTP Status Response - Unauthorized', 'security')
export const notAllowed = () => new AdyenRefusal(403, '010', 'Not allowed', 'security')
export const invalid = (message: string) => new AdyenRefusal(422, '702', message)

export interface AdyenRequest {
  engine: DisputeEngine
  account: Account
  body: JsonObject
  record: DisputeRecord | undefined
  idempotencyKey: string | null
  requestId: string
}

/** A refusal with status 200. */
export class Declined extends Error {}

type Run = (request: AdyenRequest) => JsonObject

/** One operation: checks key, body, account and idempotency; a 200 may mean failure. */
export function operation(engine: DisputeEngine, run: Run) {
  return async (c: Context<SimulatorEnv>): Promise<Response> => {
    const call = c.get('call')
    const headers = { 'content-type': 'application/json;charset=UTF-8', pspreference: call.requestId }
    try {
      const key = enter(engine, c)
      const body = bodyOf(c)
      const account = accountOf(engine, key, textOf(body, 'merchantAccountCode'))
      call.account = account.id
      const record = account.byReference.get(textOf(body, 'disputePspReference'))
      const idempotencyKey = c.req.header('idempotency-key') ?? null
      if (idempotencyKey !== null && idempotencyKey.length > 64)
        throw invalid('Idempotency-Key is longer than 64 characters')
      const request = { engine, account, body, record, idempotencyKey, requestId: call.requestId }
      const { text, replayed } = once(c, request, run)
      return new Response(text, { headers: { ...headers, ...(replayed && { 'idempotent-replayed': 'true' }) } })
    } catch (error) {
      if (!(error instanceof AdyenRefusal)) throw error
      const { status, body, headers: own } = error.answer
      return new Response(body, { status, headers: { ...headers, ...own } })
    }
  }
}

/** @returns the API key. @throws AdyenRefusal 401, 403 */
function enter(engine: DisputeEngine, c: Context<SimulatorEnv>): string {
  const [scheme = '', value = ''] = (c.req.header('authorization') ?? '').split(' ')
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString('utf8') : ''
  const key =
    c.req.header('x-api-key') ?? (basic.startsWith(`${BASIC_USER}:`) ? basic.slice(BASIC_USER.length + 1) : '')
  if (key === RESTRICTED_KEY) throw notAllowed()
  const owner = engine.access.ownerOf(key)
  if (owner === null || (owner === undefined && key !== DEMO_KEY)) throw unauthorised()
  return key
}

/**
 * The demo key has access to every merchant account of its company; a key assigned to one account has access to that
 * alone.
 */
function accountOf(engine: DisputeEngine, key: string, code: string): Account {
  const owner = engine.access.ownerOf(key) ?? code
  if (owner !== code || !engine.access.exists(code)) throw notAllowed()
  return engine.account(code)
}

function bodyOf(c: Context<SimulatorEnv>): JsonObject {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json')) {
    throw new AdyenRefusal(415, '901', 'Invalid content type: send application/json')
  }
  try {
    const body = JSON.parse(c.get('body').toString('utf8')) as unknown
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as JsonObject
  } catch {}
  throw new AdyenRefusal(400, '702', 'The JSON body could not be read')
}

/** @throws AdyenRefusal 422 when it is no text or empty */
export function textOf(body: JsonObject, name: string): string {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw invalid(`Required field '${name}' is missing or no text.`)
  return value
}

/**
 * Adyen remembers a key for the whole company whatever the operation: the same key in another operation gets the first
 * one's answer.
 */
function once(c: Context<SimulatorEnv>, request: AdyenRequest, run: Run): { text: string; replayed: boolean } {
  const { engine, idempotencyKey: key } = request
  const execute = (): string => {
    try {
      return JSON.stringify(run(request))
    } catch (error) {
      if (!(error instanceof Declined)) throw error
      return JSON.stringify({ disputeServiceResult: { errorMessage: error.message, success: false } })
    }
  }
  if (key === null) return { text: execute(), replayed: false }
  if (engine.answers.inFlight.has(key)) {
    throw new AdyenRefusal(409, '704', 'request already processed or in progress', 'validation', true)
  }
  const stored = engine.answers.find(key, engine.now())
  if (stored) return { text: stored.body, replayed: true }
  const fault = c.get('fault')
  if (fault === '500_stored') throw new AdyenRefusal(500, '000', 'Internal error', 'internal')
  const text = execute()
  engine.answers.store({ key, at: engine.now(), fingerprint: c.req.path, status: 200, body: text })
  return { text, replayed: false }
}
