import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './certificates.ts'

/** An answer of a PSP on its way to us. */
export interface Passing {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** What happens to the requests that `concerns` names, `left` of them. */
export interface Prank {
  left: number
  concerns(method: string, path: string): boolean
  /** Before the PSP hears of it. */
  before?(): Promise<void> | void
  /** Another answer in the place of its own. */
  change?(answer: Passing): Passing
  /** In the place of any HTTP: bytes on the connection, which is closed then. */
  bytes?: Buffer
}

/** A door in front of a simulated PSP: what no PSP would do itself happens here. Whatever it isn't told to spoil passes. */
export interface Door extends AsyncDisposable {
  url: string
  /** Where the PSP is. */
  target: string
  prank: Prank | null
  /** Requests that came over connections to which this certificate was shown. */
  heard(certificate: Certificate): number
  /** Another certificate from now on, also for whoever was connected. */
  show(certificate: Certificate): void
}

/** @param certificate makes the door https */
export async function openDoor(certificate?: Certificate): Promise<Door> {
  let shown = certificate
  const connected = new Map<number | undefined, Certificate | undefined>()
  const asked: (Certificate | undefined)[] = []
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    asked.push(connected.get(incoming.socket.remotePort))
    serve(door, incoming, outgoing).catch(() => undefined)
  }
  const server = certificate ? createTlsServer(certificate, answer) : createServer(answer)
  server.on('connection', ({ remotePort }: Socket) => connected.set(remotePort, shown))
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const door: Door = {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: '',
    prank: null,
    heard: (of) => asked.filter((one) => one === of).length,
    show(next) {
      shown = next
      ;(server as TlsServer).setSecureContext(next)
      server.closeAllConnections()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((go) => server.close(go))
    },
  }
  return door
}

async function serve(door: Door, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await read(incoming)
  const { method = 'GET', url = '/' } = incoming
  const prank = take(door, method, url.split('?', 1)[0] ?? '')
  await prank?.before?.()
  if (prank?.bytes) return void incoming.socket.end(prank.bytes)
  const { 'accept-encoding': _, ...headers } = incoming.headers
  const sent = request(`${door.target}${url}`, { method, headers })
  sent.on('error', () => incoming.socket.resetAndDestroy())
  sent.on('response', (answer) => {
    answer.on('error', () => outgoing.destroy())
    if (prank?.change) return void spoil(prank.change, answer, outgoing).catch(() => outgoing.destroy())
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    outgoing.flushHeaders()
    answer.pipe(outgoing)
  })
  outgoing.on('close', () => sent.destroy())
  sent.end(body)
}

async function spoil(change: NonNullable<Prank['change']>, answer: IncomingMessage, outgoing: ServerResponse) {
  const { status, headers, body } = change({
    ...{ status: answer.statusCode ?? 502, headers: answer.headers, body: await read(answer) },
  })
  const { 'content-length': _, 'transfer-encoding': __, ...others } = headers
  outgoing.writeHead(status, { ...others, 'content-length': body.length })
  outgoing.end(body)
}

function take(door: Door, method: string, path: string): Prank | null {
  const { prank } = door
  if (!prank || prank.left === 0 || !prank.concerns(method, path)) return null
  prank.left -= 1
  return prank
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
