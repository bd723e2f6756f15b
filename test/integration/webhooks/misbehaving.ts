import { answer, drip, receive, receiveRaw } from './receivers.ts'

/** Receivers that misbehave, each in a way of its own: eleven addresses. None of them may hold up the others. */
export async function misbehaving(): Promise<AsyncDisposable & { urls: string[] }> {
  let header = 0
  const all = await Promise.all<AsyncDisposable & { url: string }>([
    receiveRaw(() => {}),
    receiveRaw((socket) => drip(socket, () => 'H')),
    receiveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      drip(socket, () => `x-${header++}: ${'a'.repeat(1_000)}\r\n`, 2)
    }),
    receiveRaw((socket) => {
      socket.write('HTTP/1.1 500 No\r\ncontent-length: 1000000000\r\n\r\n')
      drip(socket, () => 'a'.repeat(65_536), 1)
    }),
    receiveRaw((socket) => socket.destroy()),
    receive(answer(500)),
    receive(answer(429, { 'retry-after': '3600' })),
    receive(answer(301, { location: 'http://127.0.0.1:1/' })),
    receive(answer(410)),
  ])
  const urls = all.map(({ url }) => url)
  // Not reached at all: TLS with a server that speaks none, and a closed port.
  const closed = await receive()
  await closed[Symbol.asyncDispose]()
  return {
    urls: [...urls, (urls.at(-1) as string).replace('http:', 'https:'), closed.url],
    async [Symbol.asyncDispose]() {
      for (const one of all) await one[Symbol.asyncDispose]()
    },
  }
}
