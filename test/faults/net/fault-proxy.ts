import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './certificates.ts'

/** A response of a PSP. */
export interface PspResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A fault for the next `left` requests that `concerns` selects. */
export interface ProxyFault {
  left: number
  concerns(method: string, path: string): boolean
  /** Runs before the request is forwarded to the PSP. */
  before?(): Promise<void> | void
  /** Replaces the PSP's response. */
  change?(response: PspResponse): PspResponse
  /** Bytes on the connection instead of HTTP; then it is closed. */
  bytes?: Buffer
}

/** An HTTP proxy in front of a simulated PSP, for faults outside of the PSP. Without a fault it forwards everything. */
export interface FaultProxy extends AsyncDisposable {
  url: string
  /** URL of the simulated PSP. */
  target: string
  prank: ProxyFault | null
  /** Number of requests over connections with this certificate. */
  heard(certificate: Certificate): number
  /** Uses another certificate from now on, and closes open connections. */
  show(certificate: Certificate): void
}

/** @param certificate makes it an HTTPS proxy */
export async function openFaultProxy(certificate?: Certificate): Promise<FaultProxy> {
  let shown = certificate
  const connected = new Map<number | undefined, Certificate | undefined>()
  const asked: (Certificate | undefined)[] = []
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    asked.push(connected.get(incoming.socket.remotePort))
    serve(door, incoming, outgoing).catch(() => undefined)
  }
  const server = certificate ? createTlsServer(certificate, handle) : createServer(handle)
  server.on('connection', ({ remotePort }: Socket) => connected.set(remotePort, shown))
  await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
  const door: FaultProxy = {
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

async function serve(door: FaultProxy, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await read(incoming)
  const { method = 'GET', url = '/' } = incoming
  const prank = take(door, method, url.split('?', 1)[0] ?? '')
  await prank?.before?.()
  if (prank?.bytes) return void incoming.socket.end(prank.bytes)
  const { 'accept-encoding': _, ...headers } = incoming.headers
  const sent = request(`${door.target}${url}`, { method, headers })
  sent.on('error', () => incoming.socket.resetAndDestroy())
  sent.on('response', (response) => {
    response.on('error', () => outgoing.destroy())
    if (prank?.change) return void replaceResponse(prank.change, response, outgoing).catch(() => outgoing.destroy())
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    outgoing.flushHeaders()
    response.pipe(outgoing)
  })
  outgoing.on('close', () => sent.destroy())
  sent.end(body)
}

async function replaceResponse(
  change: NonNullable<ProxyFault['change']>,
  response: IncomingMessage,
  outgoing: ServerResponse,
) {
  const { status, headers, body } = change({
    ...{ status: response.statusCode ?? 502, headers: response.headers, body: await read(response) },
  })
  const { 'content-length': _, 'transfer-encoding': __, ...others } = headers
  outgoing.writeHead(status, { ...others, 'content-length': body.length })
  outgoing.end(body)
}

function take(door: FaultProxy, method: string, path: string): ProxyFault | null {
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
