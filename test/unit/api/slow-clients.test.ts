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
