import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openClient } from '../../../../adapters/braintree/client.ts'
import { attach } from '../../../../adapters/braintree/documents/attach.ts'
import { toPspError, Unreadable } from '../../../../adapters/braintree/errors.ts'
import { compareEvidence } from '../../../../adapters/braintree/evidence-diff.ts'
import { CATEGORY_CODES, Refusal } from '../../../../adapters/braintree/refusals.ts'
import { newExchange } from '../../../../adapters/braintree/sdk/transport.ts'
import { PspError } from '../../../../adapters/errors.ts'
import { TOO_LARGE } from '../../../../adapters/shared/connection.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { CONTEXT, connectTo, INITIAL, refusal, sendXml, startServer } from './connect.ts'

const OPEN = '<dispute><id>d1</id><status>open</status></dispute>'

/** A server that sends `reply` to writes only, and an open dispute to all other calls. */
function writing(reply: Parameters<typeof startServer>[0]) {
  return startServer((request, response, body) =>
    request.method === 'PUT' ? reply(request, response, body) : sendXml(response, 200, OPEN),
  )
}

const accept = (url: string) => connectTo(url).acceptDispute({ reference: 'd1', idempotencyKey: 'k' })

describe('an HTTP status becomes a kind', () => {
  test.each([
    [401, 'auth_failed', 'auth_failed'],
    [403, 'permission_missing', 'permission_missing'],
    [404, 'not_found', 'not_found'],
    [400, 'invalid_request', 'invalid_request'],
    [405, 'invalid_request', 'invalid_request'],
    [408, 'unavailable', 'outcome_unknown'],
    [409, 'unavailable', 'outcome_unknown'],
    [426, 'config_invalid', 'config_invalid'],
    [429, 'rate_limited', 'rate_limited'],
    [500, 'unavailable', 'outcome_unknown'],
    [502, 'unavailable', 'outcome_unknown'],
    [503, 'unavailable', 'outcome_unknown'],
    [504, 'unavailable', 'outcome_unknown'],
  ])('%i is %s for a read and %s for a write', async (status, read, write) => {
    await using reading = await startServer((_, response) => sendXml(response, status, ''))
    expect((await refusal(connectTo(reading.url).fetchDispute('d1'))).kind).toBe(read)
    await using acting = await writing((_, response) => sendXml(response, status, ''))
    expect((await refusal(accept(acting.url))).kind).toBe(write)
  })

  test('the error for a write with a view-only key names the missing permission', async () => {
    await using acting = await writing((_, response) => sendXml(response, 403, ''))
    expect((await refusal(accept(acting.url))).message).toContain('Manage and contest disputes')
  })

  test('a Retry-After is used although the SDK hides it', async () => {
    await using server = await startServer((_, response) => sendXml(response, 429, '', { 'retry-after': '7' }))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).retryAfterMs).toBe(7000)
  })
})

describe('an invalid body', () => {
  test.each([
    ['an empty body', ''],
    ['one space', ' '],
    ['truncated XML', '<dispute><id>d1</id>'],
    ['another object', '<transaction><id>d1</id></transaction>'],
    ['another dispute', '<dispute><id>d2</id><status>open</status></dispute>'],
    ['plain text', 'Bad Gateway'],
  ])('%s is unavailable', async (_, body) => {
    await using server = await startServer((_, response) => sendXml(response, 200, body))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test('HTML is unavailable', async () => {
    const html = { 'content-type': 'text/html' }
    await using server = await startServer((_, response) => sendXml(response, 200, '<html/>', html))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test.each(['{"dispute":', '{"dispute":{"id":"d1","status":"open"}}', 'not JSON'])(
    'a response of type JSON (%s) is refused, because the SDK would crash the process if it is malformed',
    async (body) => {
      const json = { 'content-type': 'application/json' }
      await using server = await startServer((_, response) => sendXml(response, 200, body, json))
      expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
      await using acting = await writing((_, response) => sendXml(response, 200, body, json))
      expect((await refusal(accept(acting.url))).kind).toBe('outcome_unknown')
    },
  )

  test('broken gzip is unavailable', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    await using server = await startServer((_, response) => sendXml(response, 200, 'no gzip at all', gzip))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test('gzip is decoded', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    await using server = await startServer((_, response) => sendXml(response, 200, gzipSync(OPEN), gzip))
    expect((await connectTo(server.url).fetchDispute('d1')).text).toBe('{"id":"d1","status":"open"}')
  })
})

describe('connections', () => {
  test('a refused connection is unavailable, even for a write', async () => {
    const down: PspFetch = () =>
      Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    const error = refusal(connectTo('http://127.0.0.1:9', { fetch: down }).fetchDispute('d1'))
    expect((await error).kind).toBe('unavailable')
    await using server = await startServer((_, response) => sendXml(response, 200, OPEN))
    const writesFail: PspFetch = (input, init) => (init?.method === 'PUT' ? down(input) : pspFetch(input, init))
    const adapter = connectTo(server.url, { fetch: writesFail })
    expect((await refusal(adapter.acceptDispute({ reference: 'd1', idempotencyKey: 'k' }))).kind).toBe('unavailable')
  })

  test.each([
    ['ENOTFOUND', 'unavailable'],
    ['EAI_AGAIN', 'unavailable'],
    ['EHOSTUNREACH', 'unavailable'],
    ['ERR_NOT_CONNECTED', 'unavailable'],
    ['ECONNRESET', 'outcome_unknown'],
    ['UND_ERR_SOCKET', 'outcome_unknown'],
    ['ETIMEDOUT', 'outcome_unknown'],
    ['of next year', 'outcome_unknown'],
  ])('%s leaves a write %s', (code, kind) => {
    const failure = Object.assign(new TypeError('fetch failed'), { cause: { code } })
    const exchange = { ...newExchange(), failure }
    expect(toPspError(new Error('an error of the SDK'), 'write', exchange, new Date()).kind).toBe(kind)
    expect(toPspError(new Error('an error of the SDK'), 'read', exchange, new Date()).kind).toBe('unavailable')
  })

  test('a response over the size limit: a list is read in parts, a write is outcome_unknown', () => {
    const exchange = { ...newExchange(), failure: Object.assign(new Error('large'), { code: TOO_LARGE }) }
    expect(toPspError(new Error('599'), 'read', exchange, new Date())).toBeInstanceOf(Unreadable)
    expect(toPspError(new Error('599'), 'write', exchange, new Date()).kind).toBe('outcome_unknown')
  })

  test('a truncated response to a write is outcome_unknown', async () => {
    await using server = await writing((_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml', 'content-length': 1000 })
      response.write('<dispute>', () => response.socket?.destroy())
    })
    expect((await refusal(accept(server.url))).kind).toBe('outcome_unknown')
  })

  test('a request that the SDK itself refuses is invalid_request', async () => {
    await using server = await startServer((_, response) => sendXml(response, 200, OPEN))
    const client = openClient({ ...CONTEXT, baseUrl: server.url })
    const blank = client.create((gateway) => gateway.dispute.addTextEvidence('d1', { content: ' ' }))
    expect((await refusal(blank)).kind).toBe('invalid_request')
  })

  test('a connection that is reset during a write is outcome_unknown', async () => {
    await using server = await writing((_, response) => response.socket?.destroy())
    expect((await refusal(accept(server.url))).kind).toBe('outcome_unknown')
  })

  test('a rate limit error of the engine comes out unchanged', async () => {
    const limited = new PspError('rate_limited', 'our own limit', { retryAfterMs: 1234 })
    const adapter = connectTo('http://127.0.0.1:9', { fetch: () => Promise.reject(limited) })
    expect(await refusal(adapter.fetchDispute('d1'))).toBe(limited)
  })

  test('a redirect is not followed, because it would leak the key', async () => {
    let calls = 0
    await using server = await startServer((_, response) => {
      calls++
      sendXml(response, 302, '', { location: '/elsewhere' })
    })
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
    expect(calls).toBe(1)
  })
})

describe('a refusal with codes (422)', () => {
  const invalid = (code: string) =>
    `<api-error-response><errors><errors type="array"/><dispute><errors type="array"><error><code>${code}</code>
    <attribute type="symbol">status</attribute><message>secret text</message></error></errors></dispute></errors>
    <params/><message>secret text</message></api-error-response>`

  test('is thrown with our own message, although the SDK does not throw', async () => {
    await using server = await startServer((_, response) => sendXml(response, 422, invalid('84905')))
    const error = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect([error.kind, error.message]).toEqual(['invalid_request', 'Braintree takes PDF files of at most 50 pages.'])
  })

  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
  test.each([...range(84901, 84906), ...range(95701, 95715), ...range(95720, 95727)])('%s has a message', (code) => {
    expect(new Refusal([code]).message).toMatch(/^[A-Z].*\.$/)
    expect(new Refusal([code]).message).not.toContain(code)
  })

  test('two codes give two sentences', () => {
    const { message } = new Refusal(['95720', '95721'])
    expect(message).toContain('incomplete')
    expect(message).toContain('date of the download')
  })

  test.each(['95706', '95711', '95712', '95713', '95714'])('%s repeats the entry as GENERAL, once', async (code) => {
    const categories: string[] = []
    await using server = await startServer((request, response, body) => {
      if (request.method !== 'POST') return sendXml(response, 200, OPEN)
      const { category } = JSON.parse(body).evidence
      categories.push(category)
      const refused = categories.length < 2 ? 'DEVICE_ID' : 'GENERAL'
      if (category !== refused) return sendXml(response, 201, `<evidence><id>e${categories.length}</id></evidence>`)
      sendXml(response, 422, invalid(code))
    })
    expect(CATEGORY_CODES).toContain(code)
    const request = { reference: 'd1', digest: 'd'.repeat(64), files: {}, texts: { DEVICE_ID: 'x' } }
    const client = openClient({ ...CONTEXT, baseUrl: server.url })
    expect((await refusal(attach(client, request, compareEvidence([], request)))).kind).toBe('invalid_request')
    // The refused category, then GENERAL, which is refused too.
    expect(categories).toEqual(['DEVICE_ID', 'GENERAL'])
  })

  test('an unknown code is in the message, but not its text', async () => {
    await using server = await startServer((_, response) => sendXml(response, 422, invalid('99999')))
    const { message } = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect(message).toContain('99999')
    expect(message).not.toContain('secret')
  })

  test('ends a search, where the SDK’s own search would hang', async () => {
    await using server = await startServer((_, response) => sendXml(response, 422, invalid('95706')))
    const list = connectTo(server.url).listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect((await refusal(list)).kind).toBe('invalid_request')
  })
})
