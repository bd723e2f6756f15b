import http from 'node:http'
import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addressBlocks } from '../../../process/address-blocks.ts'
import { NO_NETWORKS } from '../../../webhooks/address-rule.ts'
import { createPoster } from '../../../webhooks/post.ts'

/** The only place that these tests connect to. */
const HERE = '127.0.0.1'
const LOOPBACK = addressBlocks(['127.0.0.0/8'])
const body = Buffer.from('{}')

const servers: Server[] = []
let honeypot: { port: number; hits: number }
async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, HERE, resolve))
  return (server.address() as AddressInfo).port
}
beforeEach(async () => {
  honeypot = { port: 0, hits: 0 }
  honeypot.port = await listening(
    createServer((socket) => {
      honeypot.hits++
      socket.destroy()
    }),
  )
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server as unknown as http.Server).closeAllConnections()
    server.close()
  }
})

/** A name server that gives these addresses, and counts how often it is asked. */
function resolver(...answers: string[][]) {
  const asked = { times: 0 }
  const lookup = ((_host, _options, found) => {
    const addresses = answers[Math.min(asked.times++, answers.length - 1)] ?? []
    setImmediate(() =>
      found(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    )
  }) as LookupFunction
  return { asked, lookup }
}

async function posted(url: string, more: Partial<Parameters<typeof createPoster>[0]> = {}) {
  using poster = createPoster({ allowed: LOOPBACK, proxy: null, timeoutMs: 1_500, ...more })
  return await poster.post(url, { 'webhook-id': 'evt_1' }, body)
}

describe('nothing inside is reached', () => {
  test.each([
    ...['127.0.0.1', '0x7f.1', '0x7f000001', '2130706433', '017700000001', '127.1', '①②⑦.⓪.⓪.①', '[::1]'],
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '0.0.0.0',
      '[::]',
      '127.0.0.1.',
    ],
  ])('by the literal %s', async (host) => {
    const to = (scheme: string) => posted(`${scheme}://${host}:${honeypot.port}/`, { allowed: NO_NETWORKS })
    expect([await to('http'), await to('https')]).toEqual([
      { kind: 'address_refused', reused: false },
      { kind: 'address_refused', reused: false },
    ])
    expect(honeypot.hits).toBe(0)
  })

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['93.184.215.14', '127.0.0.1']],
    [['127.0.0.1', '93.184.215.14']],
    [['::ffff:127.0.0.1']],
    [['169.254.169.254']],
    [['10.0.0.1']],
  ])('by a name that resolves to %j', async (addresses) => {
    const { lookup } = resolver(addresses)
    const url = `https://receiver.example:${honeypot.port}/`
    expect(await posted(url, { lookup, allowed: NO_NETWORKS })).toMatchObject({ kind: 'address_refused' })
    expect(honeypot.hits).toBe(0)
  })

  test('by a name that changes between check and use: it is resolved once', async () => {
    const { lookup, asked } = resolver(['127.0.0.1'], ['169.254.169.254'])
    const port = await listening(http.createServer((_request, response) => response.end()))
    expect(await posted(`http://receiver.example:${port}/`, { lookup })).toEqual({ status: 200 })
    expect(asked.times).toBe(1)
  })

  test('by a redirect', async () => {
    const port = await listening(
      http.createServer((_request, response) =>
        response.writeHead(307, { location: `http://${HERE}:${honeypot.port}/` }).end(),
      ),
    )
    expect(await posted(`http://${HERE}:${port}/`)).toEqual({ status: 307 })
    expect(honeypot.hits).toBe(0)
  })
})

describe('a receiver that misbehaves', () => {
  const raw = (serve: (socket: import('node:net').Socket) => void) =>
    listening(
      createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => serve(socket))
      }),
    )
  const drip = (socket: import('node:net').Socket, text: () => string) => {
    const timer = setInterval(() => socket.write(text()), 20)
    socket.on('close', () => clearInterval(timer))
  }

  test('never answers: time-out', async () => {
    const port = await raw(() => {})
    expect(await posted(`http://${HERE}:${port}/`, { timeoutMs: 200 })).toMatchObject({ kind: 'timeout' })
  })

  test('sends its status byte by byte: time-out', async () => {
    const port = await raw((socket) => drip(socket, () => 'H'))
    expect(await posted(`http://${HERE}:${port}/`, { timeoutMs: 300 })).toMatchObject({
      kind: expect.stringMatching(/timeout|response_invalid/),
    })
  })

  test('sends headers without end: given up at 16 KB', async () => {
    let n = 0
    const port = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, () => `x-${n++}: ${'a'.repeat(2_000)}\r\n`)
    })
    expect(await posted(`http://${HERE}:${port}/`)).toMatchObject({ kind: 'response_invalid' })
    expect(n).toBeLessThan(40)
  })

  test('sends a body without end: its status counts, and the connection is closed at 64 KB', async () => {
    let closed: (bytes: number) => void
    const end = new Promise<number>((resolve) => {
      closed = resolve
    })
    const port = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n')
      const more = () => socket.destroyed || socket.write('a'.repeat(65_536), () => setImmediate(more))
      socket.on('close', () => closed(socket.bytesWritten))
      more()
    })
    expect(await posted(`http://${HERE}:${port}/`)).toEqual({ status: 200 })
    expect(await end).toBeLessThan(50_000_000)
  })

  test('switches protocols', async () => {
    const port = await raw((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    expect(await posted(`http://${HERE}:${port}/`)).toMatchObject({ kind: 'response_invalid' })
  })

  test('closes the connection', async () => {
    const port = await raw((socket) => socket.destroy())
    expect(await posted(`http://${HERE}:${port}/`)).toMatchObject({ kind: 'connection_lost' })
  })

  test('is not there', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await posted(`http://${HERE}:${port}/`)).toMatchObject({ kind: 'connect' })
  })

  test('reports 429 with Retry-After', async () => {
    const port = await listening(
      http.createServer((_request, response) => response.writeHead(429, { 'retry-after': '7' }).end()),
    )
    expect(await posted(`http://${HERE}:${port}/`)).toEqual({ status: 429, retryAfter: '7' })
  })

  test('closes an idle connection at the moment of its use: sent again', async () => {
    let requests = 0
    const port = await listening(
      createServer((socket) => {
        socket.on('error', () => {})
        let first = true
        socket.on('data', () => {
          requests++
          // The second request of a connection finds it closed.
          if (!first) return socket.resetAndDestroy()
          first = false
          return socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
        })
      }),
    )
    using poster = createPoster({ allowed: LOOPBACK, proxy: null, timeoutMs: 1_500 })
    const post = () => poster.post(`http://${HERE}:${port}/`, {}, body)
    expect(await post()).toEqual({ status: 200 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(await post()).toEqual({ status: 200 })
    expect(requests).toBe(3)
  })
})
