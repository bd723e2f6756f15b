import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { PspError } from '../../../../adapters/errors.ts'
import { pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

type Respond = (response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) =>
    sendJson(response, status, body, headers)
const stripeError = (status: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Respond =>
  json(status, { error: { message: 'sk_test_loopback123 of jenny@example.com', ...error } }, headers)
const html =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>no</html>')
const hangUp: Respond = (response) => void response.socket?.destroy()
const truncated: Respond = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' })
  response.write('{"id":"dp_sample1",', () => response.socket?.destroy())
}

async function failureOf(work: Promise<unknown>): Promise<PspError> {
  const error = await work.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof PspError)) throw new Error(`not a PspError: ${error}`)
  return error
}

async function readFailure(respond: Respond) {
  await using server = await startLoopback((_, response) => respond(response))
  const error = await failureOf(connectStripe(server.url).fetchDispute('dp_sample1'))
  return { error, calls: server.seen.length }
}

/** The reads before and after the write succeed with the same dispute; the write gets the response of `respond`. */
async function writeFailure(respond: Respond) {
  await using server = await startLoopback((request, response) =>
    request.method === 'GET' ? sendJson(response, 200, sampleDispute()) : respond(response),
  )
  const write = connectStripe(server.url).acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'accept:1' })
  const error = await failureOf(write)
  return { error, posts: server.seen.filter((request) => request.method === 'POST').length }
}

const CASES: [string, Respond, string, string][] = [
  ['a refused key', stripeError(401, { type: 'invalid_request_error' }), 'auth_failed', 'auth_failed'],
  ['an unknown object', stripeError(404, { code: 'resource_missing' }), 'not_found', 'not_found'],
  ['an unknown parameter', stripeError(400, { code: 'parameter_unknown' }), 'invalid_request', 'invalid_request'],
  ['a card error', stripeError(402, { type: 'card_error' }), 'invalid_request', 'invalid_request'],
  ['an idempotency key reused', stripeError(400, { type: 'idempotency_error' }), 'invalid_request', 'invalid_request'],
  ['too many requests', stripeError(429, { code: 'rate_limit' }), 'rate_limited', 'rate_limited'],
  ['too many requests as 400', stripeError(400, { code: 'rate_limit' }), 'rate_limited', 'rate_limited'],
  [
    'a lock',
    stripeError(429, { code: 'lock_timeout' }, { 'stripe-should-retry': 'true' }),
    'rate_limited',
    'rate_limited',
  ],
  [
    'the same idempotency key in flight',
    stripeError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }),
    'unavailable',
    'outcome_unknown',
  ],
  ['a server error', stripeError(500, { type: 'api_error' }), 'unavailable', 'outcome_unknown'],
  ['a page of a load balancer', html(502), 'unavailable', 'outcome_unknown'],
  ['a page with 200', html(200), 'unavailable', 'outcome_unknown'],
  ['an empty 200', json(200, ''), 'unavailable', 'outcome_unknown'],
  ['503 without an error', json(503, {}), 'unavailable', 'outcome_unknown'],
  ['503 with a whole dispute', json(503, sampleDispute({ status: 'lost' })), 'unavailable', 'outcome_unknown'],
  ['200 with another object', json(200, { id: 'ch_1', object: 'charge' }), 'unavailable', 'outcome_unknown'],
  ['a bare string', json(200, '"lost"'), 'unavailable', 'outcome_unknown'],
  ['a bare null', json(200, 'null'), 'unavailable', 'outcome_unknown'],
  ['a redirect', json(302, {}, { location: 'http://169.254.169.254/' }), 'unavailable', 'outcome_unknown'],
  ['no content', (response) => response.writeHead(204).end(), 'unavailable', 'outcome_unknown'],
  ['a method not allowed', stripeError(405, {}), 'invalid_request', 'invalid_request'],
  ['a connection that is reset', hangUp, 'unavailable', 'outcome_unknown'],
  ['a truncated body', truncated, 'unavailable', 'outcome_unknown'],
]

describe('errors of a read', () => {
  test.each(CASES)('%s', async (_, respond, kind) => {
    const { error, calls } = await readFailure(respond)
    expect(error.kind).toBe(kind)
    expect(calls).toBe(1)
  })

  test('a missing permission, after the read without expansion', async () => {
    const { error, calls } = await readFailure(stripeError(403, { type: 'invalid_request_error' }))
    expect(error.kind).toBe('permission_missing')
    expect(calls).toBe(2)
  })
})

describe('errors of a write', () => {
  test.each(CASES)('%s', async (_, respond, __, kind) => {
    const { error, posts } = await writeFailure(respond)
    expect(error.kind).toBe(kind)
    expect(posts).toBe(1)
  })

  test('a missing permission', async () => {
    const { error } = await writeFailure(stripeError(403, { type: 'invalid_request_error' }))
    expect(error.kind).toBe('permission_missing')
  })

  test('a server that refuses connections: nothing was applied', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, sampleDispute()))
    const closed = await startLoopback(() => undefined)
    await closed[Symbol.asyncDispose]()
    const adapter = connectStripe(server.url, {
      fetch: (input, init) => pspFetch(init?.method === 'POST' ? closed.url : input, init),
    })
    const error = await failureOf(adapter.acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k' }))
    expect(error.kind).toBe('unavailable')
  })

  test('a replayed 500 is marked, because it says nothing about the current state', async () => {
    const { error } = await writeFailure(stripeError(500, { type: 'api_error' }, { 'idempotent-replayed': 'true' }))
    expect(error).toMatchObject({ kind: 'outcome_unknown', replayed: true, requestId: 'req_loopback' })
  })

  test('an error thrown by the engine’s fetch is passed on unchanged', async () => {
    const limited = new PspError('rate_limited', 'the bucket is empty', { retryAfterMs: 5 })
    const adapter = connectStripe('http://127.0.0.1:1', { fetch: () => Promise.reject(limited) })
    expect(await failureOf(adapter.fetchDispute('dp_sample1'))).toBe(limited)
  })
})

describe('waiting and deadlines', () => {
  test.each([
    [{ 'retry-after': '7' }, 7000, 7000],
    [{ 'retry-after': '36000' }, 3_600_000, 3_600_000],
    [{}, 1000, 2000],
  ])('429 with %o is retried after the requested time, or after 1 to 2 s', async (headers, least, most) => {
    const { error } = await readFailure(stripeError(429, { code: 'rate_limit' }, headers as Record<string, string>))
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(least)
    expect(error.retryAfterMs).toBeLessThanOrEqual(most)
  })

  test('a body that trickles ends at the deadline of the whole call', { timeout: 5000 }, async () => {
    await using server = await startLoopback((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(drip))
    })
    const adapter = connectStripe(server.url, {
      fetch: (input, init) => pspFetch(input, { ...init, timeoutMs: 300 }),
    })
    expect((await failureOf(adapter.fetchDispute('dp_sample1'))).kind).toBe('unavailable')
  })
})

describe('the text of an error', () => {
  test('contains no key, no address and no text from Stripe', async () => {
    for (const [, respond] of CASES) {
      const { error } = await writeFailure(respond)
      const shown = `${error.stack} ${JSON.stringify(error)}`
      expect(shown).not.toMatch(/sk_test_|jenny|127\.0\.0\.1|169\.254|Bearer/)
      expect(error.cause).toBeUndefined()
    }
  })
})
