import { once } from 'node:events'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { neverConnected } from '../../../adapters/shared/connection.ts'
import { pspFetch } from '../../../adapters/shared/psp-fetch.ts'
import { readBytes } from '../../../adapters/shared/response-bytes.ts'
import { sendJson, startLoopback } from './loopback.ts'

const textOf = async (body: AsyncIterable<Uint8Array> | null) => (await readBytes(body ?? [])).toString()

test('a request has its method, headers and body, and the response its status, headers and body', async () => {
  await using server = await startLoopback((_, response) => sendJson(response, 402, '{"a":1}'))
  const response = await pspFetch(`${server.url}/path?x=1`, {
    method: 'POST',
    headers: { 'X-Key': 'secret', 'User-Agent': 'SDK' },
    body: Buffer.from('a=ü'),
  })
  expect(response.status).toBe(402)
  expect(response.headers.get('request-id')).toBe('req_loopback')
  expect(response.headers.get('retry-after')).toBeNull()
  expect(await textOf(response.body)).toBe('{"a":1}')
  expect(server.seen).toMatchObject([{ method: 'POST', path: '/path', body: 'a=ü' }])
  expect(server.seen[0]?.headers).toMatchObject({ 'x-key': 'secret', 'user-agent': 'SDK', 'content-length': '4' })
})

test('a connection is used again', async () => {
  const ports = new Set<number | undefined>()
  await using server = await startLoopback((_, response) => {
    ports.add(response.socket?.remotePort)
    sendJson(response, 200, {})
  })
  for (let times = 3; times > 0; times--) await textOf((await pspFetch(server.url)).body)
  expect(ports.size).toBe(1)
})

describe('a compressed body', () => {
  test('is decompressed', async () => {
    await using server = await startLoopback((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('{"a":1}'))
    })
    expect(await textOf((await pspFetch(server.url)).body)).toBe('{"a":1}')
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip')
  })

  test.each([
    ['that is broken', (bytes: Buffer) => bytes.fill(0, 2)],
    ['that ends early', (bytes: Buffer) => bytes.subarray(0, -9)],
  ])('%s fails', async (_, damage) => {
    await using server = await startLoopback((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(damage(gzipSync('{"a":1}')))
    })
    const { body } = await pspFetch(server.url)
    await expect(textOf(body)).rejects.toThrow()
  })

  test('fails with the connection', async () => {
    await using server = await startLoopback((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.write(gzipSync('{"a":1}').subarray(0, 12), () => response.socket?.resetAndDestroy())
    })
    const { body } = await pspFetch(server.url)
    await expect(textOf(body)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})

describe('a signal ends', () => {
  const reason = new Error('too late')

  test('a request before it is sent', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 200, {}))
    await expect(pspFetch(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(server.seen).toEqual([])
  })

  test('a wait for the response, which may still have been applied', async () => {
    const late = new AbortController()
    await using server = await startLoopback(() => late.abort(reason))
    const error = await pspFetch(server.url, { signal: late.signal }).catch((thrown: unknown) => thrown)
    expect(error).toBe(reason)
    expect(neverConnected(error)).toBe(false)
  })

  test('a body that does not end', async () => {
    const late = new AbortController()
    await using server = await startLoopback((_, response) => response.write('{'))
    const { body } = await pspFetch(server.url, { signal: late.signal })
    const read = textOf(body)
    late.abort(reason)
    await expect(read).rejects.toBe(reason)
  })

  test('an attempt to connect: nothing was sent', async () => {
    const late = new AbortController()
    const asked = pspFetch('http://127.0.0.1:9', { signal: late.signal })
    late.abort(reason)
    const error = await asked.catch((thrown: unknown) => thrown)
    expect(neverConnected(error)).toBe(true)
  })

  test('nothing after the response, and leaves no listener', async () => {
    const late = new AbortController()
    await using server = await startLoopback((_, response) => sendJson(response, 200, '{"a":1}'))
    const { body } = await pspFetch(server.url, { signal: late.signal })
    expect(await textOf(body)).toBe('{"a":1}')
    late.abort(reason)
  })
})

describe('`timeoutMs` ends', () => {
  test('a wait for the response, which may still have been applied', async () => {
    await using server = await startLoopback(() => {})
    const error = await pspFetch(server.url, { timeoutMs: 300 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'TimeoutError' })
    expect(neverConnected(error)).toBe(false)
  })

  test('a body that does not end', async () => {
    await using server = await startLoopback((_, response) => response.write('{'))
    const { body } = await pspFetch(server.url, { timeoutMs: 300 })
    await expect(textOf(body)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('with the response: no timer is left', async () => {
    onTestFinished(() => void vi.restoreAllMocks())
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    const set = vi.spyOn(globalThis, 'setTimeout')
    await using server = await startLoopback((_, response) => sendJson(response, 200, '{"a":1}'))
    const { body } = await pspFetch(server.url, { timeoutMs: 60_123 })
    await textOf(body)
    const timer = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 60_123)]?.value
    expect(timer).toBeDefined()
    await expect.poll(() => cleared.mock.calls.flat()).toContain(timer)
  })
})

test.each([
  ['http', 'ECONNREFUSED'],
  ['https', 'ECONNREFUSED'],
])('%s without a server fails with the code of the connection', async (protocol, code) => {
  await expect(pspFetch(`${protocol}://127.0.0.1:9`)).rejects.toMatchObject({ code })
})

test('https to a server without TLS has the code of the handshake', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const error = await pspFetch(`https://127.0.0.1:${port}`).catch((thrown: unknown) => thrown)
  server.close()
  expect(neverConnected(error)).toBe(true)
})

test('a response that switches protocols is none', async () => {
  await using server = await startLoopback((_, response) => {
    response.writeHead(101, { connection: 'upgrade', upgrade: 'other' })
    response.end()
  })
  await expect(pspFetch(server.url)).rejects.toThrow()
})

test('a header that no request may have is refused before anything is sent', async () => {
  await expect(pspFetch('http://127.0.0.1:9', { headers: { authorization: 'a\nb' } })).rejects.toMatchObject({
    code: 'ERR_INVALID_CHAR',
  })
})
