import { changeConnection, markUsed } from './connection.ts'
import { failureOf, isForeign, noAnswer } from './failure.ts'
import { type Operations, ROUTES } from './operations.ts'

export type OperationName = keyof Operations

type Filled<T> = { [K in keyof T]?: T[K] | undefined }

export interface CallOptions<Name extends OperationName> {
  params?: Operations[Name]['params']
  query?: Filled<Operations[Name]['query']>
  body?: Operations[Name]['body']
  /** Instead of the body: parts of an upload. */
  form?: FormData
  /** Entity tag of the chargeback that the act is about. */
  ifMatch?: string | undefined
  /** Idempotency-Key: one for each intention of the person, kept for its retries. */
  key?: string
  /** referenceId of the merchant that the request is about. */
  merchant?: string | undefined
  signal?: AbortSignal
  /** The person did not cause the request: it doesn't prolong the session. */
  background?: boolean
}

/** The longest response takes 25 s: it waits for events. Longer than this means that none comes. */
const RESPONSE_MS = 35_000
/** A file on a slow line. */
const UPLOAD_MS = 300_000

let onSessionEnd = () => {}
let person: string | undefined

/** From now on requests are answered only if they are this person's: another one may sign in in another tab. */
export function sendAs(credentialId: string | undefined): void {
  person = credentialId
}

/** @param listener is called when an answer says that the session has ended */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener
}

/**
 * Sends one operation of the public API: the page's only way to data.
 * @throws CallFailure; AbortError if `signal` ended it
 */
export async function call<Name extends OperationName>(
  name: Name,
  options: CallOptions<Name> = {},
): Promise<Operations[Name]['result']> {
  const response = await request(name, options)
  try {
    const text = await response.text()
    // Some operations answer without a body.
    return (text === '' ? undefined : JSON.parse(text)) as Operations[Name]['result']
  } catch (error) {
    if (options.signal?.aborted) throw error
    // The connection broke, or a page that is not the API's came instead.
    throw noAnswer()
  }
}

/** As `call`, for those who need headers or bytes of the response. @throws CallFailure; AbortError if `signal` ended it */
export function request<Name extends OperationName>(name: Name, options: CallOptions<Name> = {}): Promise<Response> {
  const { key, merchant, body, form, ifMatch, signal, background } = options
  const [method] = ROUTES[name]
  return send(addressOf(name, options), {
    method,
    headers: {
      ...(merchant && { 'reference-account-id': merchant }),
      ...(key && { 'idempotency-key': key }),
      ...(ifMatch && { 'if-match': ifMatch }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(background && { 'x-console-background': '1' }),
      ...(person && { 'x-console-credential': person }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
    ...(signal && { signal }),
  })
}

/** Path and query of an operation. */
function addressOf(name: OperationName, { params = {}, query = {} }: { params?: object; query?: object }): string {
  const [, template] = ROUTES[name]
  const path = template.replace(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[field])),
  )
  const given = Object.entries(query).flatMap(([field, value]) =>
    value === undefined || value === '' ? [] : [[field, String(value)]],
  )
  return `/console/v1${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

/** @throws CallFailure */
export async function send(address: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  if (!headers.has('x-console-background')) markUsed()
  const silence = new AbortController()
  const limit = setTimeout(() => silence.abort(), init.body instanceof FormData ? UPLOAD_MS : RESPONSE_MS)
  const signal = AbortSignal.any([silence.signal, ...(init.signal ? [init.signal] : [])])
  let response: Response
  try {
    response = await fetch(address, { ...init, headers, signal, credentials: 'same-origin' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    changeConnection({ away: true })
    throw noAnswer()
  } finally {
    clearTimeout(limit)
  }
  const failure = response.ok ? (isForeign(response) ? noAnswer() : undefined) : await failureOf(response)
  const { status } = failure ?? response
  const date = Date.parse(response.headers.get('date') ?? '')
  changeConnection({
    // An act that is refused with 503 may be about the PSP alone.
    ...((status !== 503 || init.method === 'GET') && { away: status === 0 || status === 503 }),
    // What is shown is not new after an error or a rate limit.
    ...(status > 0 && status < 500 && status !== 429 && { answeredAt: Date.now() }),
    ...(!Number.isNaN(date) && { offset: date - Date.now() }),
  })
  if (!failure) return response
  if (failure.code === 'session_ended') onSessionEnd()
  throw failure
}
