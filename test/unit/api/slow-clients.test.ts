import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { disconnectSlowClients } from '../../../api/limits/slow-clients.ts'

/** More than the buffers of two sockets hold, so that the server has to wait for the reader. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x')
/** Instead of a second. */
const TICK_MS = 10

test('finding 2: a client that does not read a response in a minute is disconnected, another one is not', async () => {
  const server = createServer((_, response) => void response.end(LARGE))
  disconnectSlowClients(server, () => expect.unreachable('the request was complete'), TICK_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ended = once(server, 'connection').then(([socket]) => once(socket, 'close'))

  const idle = connect(port, '127.0.0.1')
  idle.on('error', () => undefined).pause()
  idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await ended
  const body = await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()
  expect(body.byteLength).toBe(LARGE.length)

  idle.destroy()
  server.closeAllConnections()
  server.close()
})

test('a client that takes nothing of a streamed response for a minute is disconnected, a slow one is not', async () => {
  const part = Buffer.alloc(4 * 1024 * 1024, 'x')
  const server = createServer(async (_, response) => {
    for (let n = 0; n < 8; n++) if (!response.write(part)) await once(response, 'drain')
    response.end()
  })
  disconnectSlowClients(server, () => expect.unreachable('the request was complete'), TICK_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ended = once(server, 'connection').then(([socket]) => once(socket, 'close'))

  const idle = connect(port, '127.0.0.1')
  idle.on('error', () => undefined).pause()
  idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await ended

  let bytes = 0
  const slow = await fetch(`http://127.0.0.1:${port}/`)
  for await (const chunk of slow.body as unknown as AsyncIterable<Uint8Array>) {
    if (bytes % (1024 * 1024) < chunk.length) await new Promise((resolve) => setTimeout(resolve, TICK_MS * 4))
    bytes += chunk.length
  }
  expect(bytes).toBe(8 * part.length)

  idle.destroy()
  server.closeAllConnections()
  server.close()
})
