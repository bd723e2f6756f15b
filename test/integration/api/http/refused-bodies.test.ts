import { Agent, type IncomingMessage, request, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpServer } from '../../../../api/limits/connections.ts'
import { createStage, type Stage } from '../stage.ts'

const MB = 1_048_576

let stage: Stage
let server: Server
let port: number
let connections = 0
beforeAll(async () => {
  stage = await createStage()
  server = createHttpServer(stage.app.fetch, stage.deps.log).listen(0, '127.0.0.1')
  server.on('connection', () => connections++)
  await new Promise((resolve) => server.once('listening', resolve))
  port = (server.address() as { port: number }).port
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await stage[Symbol.asyncDispose]()
})

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: Buffer
  token?: string
}

const authorization = (token: string) => ({ authorization: `Bearer ${token}` })

/** @throws what the connection fails with */
const ask = (agent: Agent, { method = 'GET', path, headers = {}, body, token = stage.token }: Sent) =>
  new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path, headers: { ...authorization(token), ...headers } },
      (response: IncomingMessage) => {
        const { connection } = response.headers
        response.resume().on('end', () => resolve({ status: response.statusCode, connection }))
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })

const json = { 'content-type': 'application/json' }
const chunked = { ...json, 'transfer-encoding': 'chunked' }
const transactions = { method: 'POST', path: '/v1/transactions' }
const REFUSED: [what: string, status: number, sent: () => Sent][] = [
  ['too large', 413, () => ({ ...transactions, headers: json, body: Buffer.alloc(3 * MB) })],
  ['too large, without a length', 413, () => ({ ...transactions, headers: chunked, body: Buffer.alloc(3 * MB) })],
  ['too large for an upload', 413, () => ({ method: 'POST', path: '/v1/files', body: Buffer.alloc(7 * MB) })],
  ['far too large', 413, () => ({ ...transactions, headers: json, body: Buffer.alloc(30 * MB) })],
  [
    'of a wrong type',
    415,
    () => ({ ...transactions, headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(MB) }),
  ],
  ['without a credential', 401, () => ({ ...transactions, token: 'a.b.c', headers: json, body: Buffer.alloc(MB) })],
  [
    'for an unknown path',
    404,
    () => ({ method: 'POST', path: '/v1/nothing', headers: json, body: Buffer.alloc(5 * MB) }),
  ],
  [
    'with an unsupported method',
    405,
    () => ({ method: 'PUT', path: '/v1/transactions', headers: json, body: Buffer.alloc(MB) }),
  ],
  [
    'for a read',
    400,
    () => ({ path: '/v1/chargebacks', headers: { 'content-length': String(MB) }, body: Buffer.alloc(MB) }),
  ],
]

describe('after a refused body', () => {
  it.each(REFUSED)('%s (%d), the next request on the pool works, every time', async (_what, status, sent) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const before = connections
    for (let round = 0; round < 8; round++) {
      const refused = await ask(agent, sent())
      expect(refused.status).toBe(status)
      expect((await ask(agent, { path: '/v1/chargebacks' })).status).toBe(200)
      const accepted = { ...transactions, headers: json, body: Buffer.from(`{"transactionId":"tx_${round}"}`) }
      expect((await ask(agent, accepted)).status).toBe(201)
    }
    // A body of this size is drained, so that the connection stays open.
    if ((sent().body?.length ?? 0) <= 7 * MB) expect(connections - before).toBe(1)
    agent.destroy()
  })

  it('concurrent requests on the pool of fetch work', async () => {
    const origin = `http://127.0.0.1:${port}`
    const refused = async (body: Buffer) =>
      (
        await fetch(`${origin}/v1/transactions`, {
          method: 'POST',
          headers: { ...authorization('a.b.c'), ...json },
          body,
        })
      ).status
    const accepted = async () =>
      (await fetch(`${origin}/v1/chargebacks`, { headers: authorization(stage.token) })).status
    for (let round = 0; round < 5; round++) {
      const responses = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 ? refused(Buffer.alloc(2 * MB)) : accepted())),
      )
      expect(responses).toEqual(Array.from({ length: 10 }, (_, n) => (n % 2 ? 401 : 200)))
      expect(await accepted()).toBe(200)
    }
  })

  it('that never ends, the response announces that the connection closes, and it closes', async () => {
    const [started, socket] = [performance.now(), connect(port, '127.0.0.1')]
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(
      'POST /v1/transactions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{',
    )
    await expect.poll(() => received, { timeout: 5_000 }).toContain('missing_token')
    expect(received).toMatch(/^HTTP\/1\.1 401 /)
    expect(received).toMatch(/\r\nconnection: close\r\n/i)
    expect(performance.now() - started).toBeLessThan(3_000)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write('x'.repeat(4_999))
    await closed
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
