import http from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export interface Captured {
  path: string
  headers: http.IncomingHttpHeaders
  body: string
  at: number
}

export interface Receiver extends AsyncDisposable {
  url: string
  /** Every request, in the order of arrival. */
  captured: Captured[]
  /** Concurrent requests, at most. */
  mostAtOnce(): number
}

type Respond = (request: Captured, response: http.ServerResponse) => unknown

export const answer =
  (status: number, headers: http.OutgoingHttpHeaders = {}): Respond =>
  (_request, response) =>
    response.writeHead(status, headers).end()

/** A receiver on loopback. @param respond default: 200 */
export async function receive(respond: Respond = answer(200)): Promise<Receiver> {
  const captured: Captured[] = []
  let [open, most] = [0, 0]
  const server = http.createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const { url = '', headers } = request
      const one = { path: url, headers, body: Buffer.concat(chunks).toString(), at: Date.now() }
      captured.push(one)
      respond(one, response)
    })
  })
  return { captured, mostAtOnce: () => most, ...(await served(server)) }
}

/** A server that speaks as `serve` says, once it was sent something. */
export async function receiveRaw(serve: (socket: Socket) => void): Promise<Omit<Receiver, 'mostAtOnce' | 'captured'>> {
  return served(
    createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => serve(socket))
    }),
  )
}

async function served(server: Server | http.Server) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Writes a text again and again until the other side closes. */
export function drip(socket: Socket, text: () => string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(text()), everyMs)
  socket.on('close', () => clearInterval(timer))
}
