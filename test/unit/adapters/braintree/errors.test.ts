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
import { answering, CONTEXT, connectTo, INITIAL, refusal, sendXml } from './connect.ts'

const OPEN = '<dispute><id>d1</id><status>open</status></dispute>'

/** What every call but the write gets, so that only the write meets the answer under test. */
function writing(reply: Parameters<typeof answering>[0]) {
  return answering((request, response, body) =>
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
  ])('%i is %s of a read and %s of a write', async (status, read, write) => {
    await using reading = await answering((_, response) => sendXml(response, status, ''))
    expect((await refusal(connectTo(reading.url).fetchDispute('d1'))).kind).toBe(read)
    await using acting = await writing((_, response) => sendXml(response, status, ''))
    expect((await refusal(accept(acting.url))).kind).toBe(write)
  })

  test('a view-only key fails on the write with the right that it lacks', async () => {
    await using acting = await writing((_, response) => sendXml(response, 403, ''))
    expect((await refusal(accept(acting.url))).message).toContain('Manage and contest disputes')
  })

  test('a Retry-After is obeyed though the SDK hides it', async () => {
    await using server = await answering((_, response) => sendXml(response, 429, '', { 'retry-after': '7' }))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).retryAfterMs).toBe(7000)
  })
})

describe('a body that is no answer', () => {
  test.each([
    ['an empty body', ''],
    ['one space', ' '],
    ['XML that breaks off', '<dispute><id>d1</id>'],
    ['another object', '<transaction><id>d1</id></transaction>'],
    ['another dispute', '<dispute><id>d2</id><status>open</status></dispute>'],
    ['a text', 'Bad Gateway'],
  ])('%s is unavailable', async (_, body) => {
    await using server = await answering((_, response) => sendXml(response, 200, body))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test('HTML is unavailable', async () => {
    const html = { 'content-type': 'text/html' }
    await using server = await answering((_, response) => sendXml(response, 200, '<html/>', html))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test.each(['{"dispute":', '{"dispute":{"id":"d1","status":"open"}}', 'not JSON'])(
    'what calls itself JSON (%s) is no answer: the SDK would end the process with it where it is none',
    async (body) => {
      const json = { 'content-type': 'application/json' }
      await using server = await answering((_, response) => sendXml(response, 200, body, json))
      expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
      await using acting = await writing((_, response) => sendXml(response, 200, body, json))
      expect((await refusal(accept(acting.url))).kind).toBe('outcome_unknown')
    },
  )

  test('broken gzip is unavailable', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    await using server = await answering((_, response) => sendXml(response, 200, 'no gzip at all', gzip))
    expect((await refusal(connectTo(server.url).fetchDispute('d1'))).kind).toBe('unavailable')
  })

  test('gzip is read', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    await using server = await answering((_, response) => sendXml(response, 200, gzipSync(OPEN), gzip))
    expect((await connectTo(server.url).fetchDispute('d1')).text).toBe('{"id":"d1","status":"open"}')
  })
})

describe('connections', () => {
  test('refused before anything was sent: not applied, also for a write', async () => {
    const down: typeof fetch = () =>
      Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } }))
    const error = refusal(connectTo('http://127.0.0.1:9', { fetch: down }).fetchDispute('d1'))
    expect((await error).kind).toBe('unavailable')
    await using server = await answering((_, response) => sendXml(response, 200, OPEN))
    const writesFail: typeof fetch = (input, init) => (init?.method === 'PUT' ? down(input) : fetch(input, init))
    const adapter = connectTo(server.url, { fetch: writesFail })
    expect((await refusal(adapter.acceptDispute({ reference: 'd1', idempotencyKey: 'k' }))).kind).toBe('unavailable')
  })

  test.each([
    ['ENOTFOUND', 'unavailable'],
    ['EAI_AGAIN', 'unavailable'],
    ['EHOSTUNREACH', 'unavailable'],
    ['UND_ERR_CONNECT_TIMEOUT', 'unavailable'],
    ['ECONNRESET', 'outcome_unknown'],
    ['UND_ERR_SOCKET', 'outcome_unknown'],
    ['ETIMEDOUT', 'outcome_unknown'],
    ['of next year', 'outcome_unknown'],
  ])('%s leaves a write %s', (code, kind) => {
    const failure = Object.assign(new TypeError('fetch failed'), { cause: { code } })
    const exchange = { ...newExchange(), failure }
    expect(toPspError(new Error('whatever the SDK says'), 'write', exchange, new Date()).kind).toBe(kind)
    expect(toPspError(new Error('whatever the SDK says'), 'read', exchange, new Date()).kind).toBe('unavailable')
  })

  test('an answer larger than any may be: a list is asked for in parts, a write is unknown', () => {
    const exchange = { ...newExchange(), failure: Object.assign(new Error('large'), { code: TOO_LARGE }) }
    expect(toPspError(new Error('599'), 'read', exchange, new Date())).toBeInstanceOf(Unreadable)
    expect(toPspError(new Error('599'), 'write', exchange, new Date()).kind).toBe('outcome_unknown')
  })

  test('an answer to a write that breaks off in the middle: nobody knows', async () => {
    await using server = await writing((_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml', 'content-length': 1000 })
      response.write('<dispute>', () => response.socket?.destroy())
    })
    expect((await refusal(accept(server.url))).kind).toBe('outcome_unknown')
  })

  test('a request that the SDK itself refuses is our bug', async () => {
    await using server = await answering((_, response) => sendXml(response, 200, OPEN))
    const client = openClient({ ...CONTEXT, baseUrl: server.url })
    const blank = client.create((gateway) => gateway.dispute.addTextEvidence('d1', { content: ' ' }))
    expect((await refusal(blank)).kind).toBe('invalid_request')
  })

  test('reset in the middle of a write: nobody knows', async () => {
    await using server = await writing((_, response) => response.socket?.destroy())
    expect((await refusal(accept(server.url))).kind).toBe('outcome_unknown')
  })

  test('what the engine says about its own limit comes out unchanged', async () => {
    const limited = new PspError('rate_limited', 'our own limit', { retryAfterMs: 1234 })
    const adapter = connectTo('http://127.0.0.1:9', { fetch: () => Promise.reject(limited) })
    expect(await refusal(adapter.fetchDispute('d1'))).toBe(limited)
  })

  test('a redirect is not followed: it would carry the key away', async () => {
    let calls = 0
    await using server = await answering((_, response) => {
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

  test('resolves in the SDK and is told here by a sentence of ours', async () => {
    await using server = await answering((_, response) => sendXml(response, 422, invalid('84905')))
    const error = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect([error.kind, error.message]).toEqual(['invalid_request', 'Braintree takes PDF files of at most 50 pages.'])
  })

  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
  test.each([...range(84901, 84906), ...range(95701, 95715), ...range(95720, 95727)])('%s has a sentence', (code) => {
    expect(new Refusal([code]).message).toMatch(/^[A-Z].*\.$/)
    expect(new Refusal([code]).message).not.toContain(code)
  })

  test('two codes are two sentences', () => {
    const { message } = new Refusal(['95720', '95721'])
    expect(message).toContain('incomplete')
    expect(message).toContain('date of the download')
  })

  test.each(['95706', '95711', '95712', '95713', '95714'])('%s sends the same to GENERAL, once', async (code) => {
    const asked: string[] = []
    await using server = await answering((request, response, body) => {
      if (request.method !== 'POST') return sendXml(response, 200, OPEN)
      const { category } = JSON.parse(body).evidence
      asked.push(category)
      const refused = asked.length < 2 ? 'DEVICE_ID' : 'GENERAL'
      if (category !== refused) return sendXml(response, 201, `<evidence><id>e${asked.length}</id></evidence>`)
      sendXml(response, 422, invalid(code))
    })
    expect(CATEGORY_CODES).toContain(code)
    const request = { reference: 'd1', digest: 'd'.repeat(64), files: {}, texts: { DEVICE_ID: 'x' } }
    const client = openClient({ ...CONTEXT, baseUrl: server.url })
    expect((await refusal(attach(client, request, compareEvidence([], request)))).kind).toBe('invalid_request')
    // The refused category, and GENERAL, which is refused too and ends it.
    expect(asked).toEqual(['DEVICE_ID', 'GENERAL'])
  })

  test('an unknown code is named, its text is not', async () => {
    await using server = await answering((_, response) => sendXml(response, 422, invalid('99999')))
    const { message } = await refusal(connectTo(server.url).fetchDispute('d1'))
    expect(message).toContain('99999')
    expect(message).not.toContain('secret')
  })

  test('on a search it ends the call, where the search of the SDK would hang', async () => {
    await using server = await answering((_, response) => sendXml(response, 422, invalid('95706')))
    const list = connectTo(server.url).listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect((await refusal(list)).kind).toBe('invalid_request')
  })
})
