import type { Server } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createHttpServer } from '../../../../api/limits/connections.ts'
import { connect } from '../../../../db/core/connect.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => stage[Symbol.asyncDispose]())

describe('errors', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/chargebacks/'],
    ['GET', '/v1//chargebacks'],
    ['GET', '/v1/chargebacks/a/b'],
    ['GET', '/chargebacks'],
    ['GET', '/v2/chargebacks'],
    ['POST', '/docs/../etc/passwd'],
    ['GET', '/docs/%2e%2e/package.json'],
  ])('%s %s is unknown: 404', async (method, path) => {
    expect(await stage.call(method, path)).toMatchObject({
      status: 404,
      body: { error: 'Not Found', code: 'path_not_found' },
    })
  })

  it.each([
    ['DELETE', '/v1/chargebacks', 'GET, HEAD'],
    ['POST', '/v1/chargebacks/x', 'GET, HEAD, PATCH'],
    ['PUT', '/v1/chargebacks/x/accept', 'GET, HEAD, POST'],
    ['PATCH', '/v1/integrations', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/integrations', 'GET, HEAD, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/v1/openapi.json', 'GET, HEAD'],
  ])('%s %s exists for other methods: 405', async (method, path, allow) => {
    const response = await stage.call(method, path)
    expect(response).toMatchObject({ status: 405, body: { error: 'Method Not Allowed', code: 'method_not_allowed' } })
    expect(response.headers.get('allow')).toBe(allow)
  })

  const post = (body: string, headers: Record<string, string> = {}) =>
    stage.call('POST', '/v1/integrations', { body, headers })

  it.each(['', '{', '{"a":1,}', 'null', '[]', '"text"', '7', '{"a":"\u0000"}'])('400 for the body %j', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { error: 'Bad Request' } })
  })

  it('400 for a body that is nested too deeply', async () => {
    const deep = `{"secretPayload":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect(await post(deep)).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  it.each([
    'application/json ; charset=utf-8',
    'Application/JSON',
    'application/json;',
    'application/json;charset="utf-8"',
  ])('accept %s as JSON, with the limit on nesting', async (type) => {
    expect(await post('{}', { 'content-type': type })).toMatchObject({ body: { code: 'validation_failed' } })
    const deep = `{"secretPayload":${'['.repeat(40)}${']'.repeat(40)}}`
    expect(await post(deep, { 'content-type': type })).toMatchObject({ body: { code: 'malformed_json' } })
  })

  it.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    '415 for %s',
    async (type) => {
      expect(await post('{}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: 'Unsupported Media Type', code: 'unsupported_media_type' },
      })
    },
  )

  it('413 above 1 MB, 400 at 1 MB', async () => {
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
    expect((await post(sized(1_048_576))).status).toBe(400)
    expect(await post(sized(1_048_577))).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
  })

  it('reveal no internals, and are found in the log by their errorId', async () => {
    const broken = stage.secondApp({ ring: { current: 'none', keys: new Map() } })
    const body = {
      externalIdentifier: 'acct_1',
      integrationName: 'x',
      source: 'stripe',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: 'rk_test_plantedSecret' },
    }
    const response = await stage.call(
      'POST',
      '/v1/integrations',
      { body, headers: { 'x-request-id': 'mine-1' } },
      broken,
    )
    expect(response).toMatchObject({ status: 500, body: { message: 'Internal server error', code: 'internal_error' } })
    const line = stage.lines.find((one) => one.includes(response.body.errorId)) ?? ''
    expect(JSON.parse(line)).toMatchObject({ level: 'error', requestId: 'mine-1', error: { name: expect.any(String) } })
    expect(stage.lines.join('')).not.toContain('plantedSecret')
  })

  it('keep a valid X-Request-Id and replace any other', async () => {
    const idOf = async (sent: string) =>
      (await stage.call('GET', '/v1/chargebacks', { headers: { 'x-request-id': sent } })).headers.get('x-request-id')
    expect(await idOf('abc-123_X.y:z')).toBe('abc-123_X.y:z')
    for (const invalid of ['', 'a b', '<script>', 'x'.repeat(129)])
      expect(await idOf(invalid)).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('without Postgres', () => {
  it('returns 503 at once, and is not ready', async () => {
    const db = connect('postgres://nobody@127.0.0.1:1/none', { scope: 'system' })
    const app = stage.secondApp({ db })
    const started = Date.now()
    for (const path of ['/v1/chargebacks', '/v1/integrations']) {
      const response = await stage.call('GET', path, {}, app)
      expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
      expect(response.headers.get('retry-after')).toBe('1')
    }
    expect(await stage.call('GET', '/ready', {}, app)).toMatchObject({ status: 503, body: { code: 'not_ready' } })
    expect((await stage.call('GET', '/health', {}, app)).status).toBe(200)
    // Far less than the time-out of a connection.
    expect(Date.now() - started).toBeLessThan(10_000)
    await db.destroy()
  })
})

describe('a request that Node refuses before the application', () => {
  let server: Server
  let port: number
  beforeAll(async () => {
    server = createHttpServer(stage.app.fetch, stage.deps.log).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    port = (server.address() as { port: number }).port
  })
  afterAll(() => void server.close())

  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connectSocket(port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })

  it.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400, 'malformed_request'],
    ['a backslash in the path', 'GET /v1\\x HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['an invalid host', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'malformed_request'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n', 417, 'expectation_failed'],
    ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ])('gets an error of the usual shape: %s', async (_name, text, status, code) => {
    const response = await send(text)
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(response).toMatch(/\r\nX-Request-Id: [0-9a-f-]{36}\r\n/i)
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status, code, errorId: expect.any(String) })
  })

  it('may lack a host in HTTP/1.0; an idle connection outlives that of a load balancer', async () => {
    expect(await send('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
    expect(server.keepAliveTimeout).toBeGreaterThan(60_000)
  })
})
