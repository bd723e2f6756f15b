import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { NO_PROXIES, readTrustedProxies } from '../../../api/limits/client-address.ts'
import { createHttpServer } from '../../../api/limits/connections.ts'
import { createLog } from '../../../process/log.ts'
import { until as untilIn } from '../../harness/until.ts'

const log = createLog({ name: 'test', level: 'fatal' }, { write: () => undefined })
const until: typeof untilIn = (what, condition, options) => untilIn(what, condition, { timeoutMs: 15_000, ...options })
const opened: { sockets: Socket[]; server: Server }[] = []
afterEach(() => {
  for (const { sockets, server } of opened.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  }
})

async function listening(
  limits?: Parameters<typeof createHttpServer>[2],
  fetch: () => Promise<Response> = async () => new Response('ok'),
) {
  const server = createHttpServer(fetch, log, limits).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  opened.push({ sockets, server })
  return {
    url: `http://127.0.0.1:${port}/`,
    connections: () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count))),
    /** A connection that sends nothing. Every address of 127/8 can be its local address. */
    open(localAddress: string) {
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      const one = { socket, text: '', closed: false }
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        one.text += chunk
      })
      socket.on('close', () => {
        one.closed = true
      })
      socket.on('error', () => {})
      sockets.push(socket)
      return one
    },
  }
}
const get = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

describe('connections of a process', () => {
  test('finding 3: are limited to sixteen times those of one address, whatever the number of addresses', async () => {
    const { open, connections } = await listening({ trustedProxies: NO_PROXIES, connectionsPerAddress: 2 })
    const held = Array.from({ length: 32 }, (_, n) => open(`127.0.0.${10 + Math.floor(n / 2)}`))
    await until('they are open', connections, { holds: (count) => count === 32 })
    const next = open('127.0.0.99')
    await until('it is closed', () => next.closed)
    expect(held.filter(({ closed }) => closed)).toEqual([])
    held[0]?.socket.destroy()
    await until('one is closed', connections, { holds: (count) => count === 31 })
    const again = open('127.0.0.99')
    again.socket.write(get)
    await until('it gets a response', () => again.text.startsWith('HTTP/1.1 200'))
  })
})

describe('connections over the limit of one address', () => {
  test('get a response, eight in a second; the others are reset', async () => {
    const { open, connections } = await listening({ trustedProxies: NO_PROXIES, connectionsPerAddress: 1 })
    open('127.0.0.2')
    await until('it is open', connections, { holds: (count) => count === 1 })
    const refused = Array.from({ length: 40 }, () => open('127.0.0.2'))
    await until('all are closed', () => refused.every(({ closed }) => closed))
    const answered = refused.filter(({ text }) => text.startsWith('HTTP/1.1 429'))
    expect(answered.length).toBeGreaterThanOrEqual(8)
    expect(answered.length).toBeLessThan(refused.length)
    expect(refused.filter(({ text }) => text === '')).toHaveLength(refused.length - answered.length)
  })
})

describe('bodies of refused requests', () => {
  test('of one client are drained, sixteen at a time; further ones are cut off after the response', async () => {
    const { open } = await listening(undefined, async () => new Response('no', { status: 401 }))
    const endless = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{'
    const sent = Array.from({ length: 20 }, () => {
      const one = open('127.0.0.2')
      one.socket.write(endless)
      return one
    })
    const responded = () => sent.filter(({ text }) => text.startsWith('HTTP/1.1 401')).length
    await until('four have their response', () => responded() === 4)
    await until('they are closed', () => sent.filter(({ closed }) => closed).length === 4)
    await until('the others have theirs', () => responded() === 20)
    expect(sent.filter(({ closed }) => closed)).toHaveLength(4)
  })
})

describe('connections of a trusted proxy', () => {
  test('are not limited, but the requests of each client that it names are', async () => {
    const waiting: (() => void)[] = []
    const { url, open, connections } = await listening(
      { trustedProxies: readTrustedProxies('127.0.0.1'), connectionsPerAddress: 2 },
      () => new Promise((resolve) => waiting.push(() => resolve(new Response('ok')))),
    )
    for (let n = 0; n < 4; n++) open('127.0.0.1')
    await until('they are open', connections, { holds: (count) => count === 4 })
    const from = (client: string) => fetch(url, { headers: { 'x-forwarded-for': client } })
    const [first, second] = [from('198.51.100.1'), from('198.51.100.1')]
    await until('two are in flight', () => waiting.length === 2)
    const third = await from('198.51.100.1')
    expect([third.status, await third.json()]).toMatchObject([429, { code: 'too_many_connections' }])
    const other = from('198.51.100.2')
    await until('three are in flight', () => waiting.length === 3)
    for (const release of waiting.splice(0)) release()
    expect((await Promise.all([first, second, other])).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
