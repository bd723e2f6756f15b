import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** The attacked API, and the attacker's token. */
export interface Against {
  port: number
  token: string
  /** Of an honest tenant. */
  integrationId: string
}

/** All of 127/8 is this machine: the honest tenants have another address. */
const ADDRESS = '127.0.0.2'
const HOST = '127.0.0.1'

/** Number of responses by status; `cut` = connections that ended without one. */
export const answers = new Map<string, number>()
const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1)

interface Conduct {
  head: string | (() => string)
  /** Sent each second. */
  drip?: string
  /** False: nothing is ever read. */
  reads?: boolean
}

/** Opens `size` sockets. A closed one is opened again after a second. */
export function crowd({ port }: Against, size: number, { head, drip, reads = true }: Conduct): void {
  const open = () => {
    const socket = connect({ port, host: HOST, localAddress: ADDRESS })
    socket.write(typeof head === 'string' ? head : head())
    if (reads) socket.on('data', (chunk) => count(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] ?? 'more'))
    else socket.pause()
    const timer = drip && setInterval(() => socket.write(drip), 1_000)
    socket.on('error', () => count('cut'))
    socket.on('close', () => {
      clearInterval(timer || undefined)
      setTimeout(open, 1_000)
    })
  }
  for (let n = 0; n < size; n++) open()
}

type Sent = [method: string, path: string, headers?: Record<string, string>, body?: string | Buffer]

/** Concurrent clients, each of which sends its next request after a response. */
export function repeat({ port }: Against, clients: number, next: (n: number) => Sent): void {
  const agent = new Agent({ keepAlive: true, maxSockets: clients, localAddress: ADDRESS })
  let asked = 0
  const ask = ([method, path, headers = {}, body]: Sent) =>
    new Promise<string>((resolve) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const options = { agent, host: HOST, port, method, path, headers: { ...headers, ...length } }
      const sent = request(options, (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)))
        response.on('error', () => resolve('cut'))
      })
      sent.on('error', () => resolve('cut'))
      sent.end(body)
    })
  const client = async () => {
    for (;;) {
      const status = await ask(next(asked++))
      count(status)
      if (status === 'cut') await pause(100)
    }
  }
  for (let n = 0; n < clients; n++) void client()
}
