import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '../../../db/core/listen.ts'

test('a listener that is closed while it reconnects leaves no connection open', async () => {
  const arrived: Socket[] = []
  const server = createServer((socket) => {
    arrived.push(socket.on('error', () => {}))
    if (arrived.length === 1) socket.destroy()
    else server.emit('again')
  })
  const again = new Promise((resolve) => server.once('again', resolve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const listener = listen(`postgres://nobody@127.0.0.1:${port}/none`, 'outbox', () => {})
  await again
  const closing = listener[Symbol.asyncDispose]()
  const first = await Promise.race([
    closing.then(() => 'closed'),
    new Promise((resolve) => setImmediate(() => resolve('waiting'))),
  ])
  for (const socket of arrived) socket.destroy()
  await closing
  server.close()
  expect(first).toBe('waiting')
})
