import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { AddressRefused, guardedAgents, type Ways } from './guarded-agents.ts'

/** ms to connect, TLS included. */
const CONNECT_MS = 5_000
/** The status decides; the rest of the response is read so that the connection can be used again. */
const DRAIN_MS = 1_000
const DRAIN_BYTES = 65_536
const HEADER_BYTES = 16_384

/** Why there was no HTTP response. */
type FailureKind =
  | 'address_refused'
  | 'name_not_found'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'response_invalid'
  | 'connection_lost'

type Posted = { status: number; retryAfter?: string | undefined } | { kind: FailureKind }

export interface Poster extends Disposable {
  /** One request; follows no redirect, keeps nothing of the response but its status. Never throws. */
  post(url: string, headers: Record<string, string>, body: Buffer): Promise<Posted>
}

/** Sends webhooks past the guard. @param timeoutMs of a whole request */
export function createPoster({ timeoutMs, ...ways }: Ways & { timeoutMs: number }): Poster {
  const agents = guardedAgents(ways)
  return {
    async post(url, headers, body) {
      const target = new URL(url)
      const protocol = target.protocol as keyof typeof agents
      const asked = { target, agent: agents[protocol], headers, body, timeoutMs }
      const posted = await attempt(asked)
      // The receiver closed an idle connection at the moment of its use: nothing was wrong.
      return 'reused' in posted && posted.reused ? attempt(asked) : posted
    },
    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

interface Asked {
  target: URL
  agent: http.Agent
  headers: Record<string, string>
  body: Buffer
  timeoutMs: number
}

function attempt({ target, agent, headers, body, timeoutMs }: Asked): Promise<Posted & { reused?: boolean }> {
  return new Promise((resolve) => {
    let phase: 'connect' | 'tls' | 'response' = 'connect'
    const send = target.protocol === 'https:' ? https.request : http.request
    const request = send(target, {
      ...{ method: 'POST', agent, maxHeaderSize: HEADER_BYTES },
      headers: {
        ...{ 'content-type': 'application/json', 'content-length': body.length, 'user-agent': 'Recoup-Webhooks/1' },
        ...headers,
      },
    })
    // Timers, because an AbortSignal.timeout keeps the request in memory until a full garbage collection (decision 93).
    const end = () => request.destroy(new DOMException('', 'TimeoutError'))
    const late = setTimeout(end, timeoutMs)
    const connecting = setTimeout(() => phase !== 'response' && end(), Math.min(CONNECT_MS, timeoutMs))
    request.on('socket', (socket: Socket) => {
      if (!socket.connecting) {
        phase = 'response'
        return
      }
      socket.once('connect', () => {
        phase = target.protocol === 'https:' ? 'tls' : 'response'
      })
      socket.once('secureConnect', () => {
        phase = 'response'
      })
    })
    request.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
      drain(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const reused = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
      resolve({ kind: kindOf(error, phase), reused })
    })
    request.on('close', () => {
      clearTimeout(late)
      clearTimeout(connecting)
      // A connection may close with neither a response nor an error, for example after 101 Switching Protocols.
      resolve({ kind: 'response_invalid' })
    })
    request.end(body)
  })
}

function drain(response: http.IncomingMessage): void {
  let bytes = 0
  const close = () => response.destroy()
  const timer = setTimeout(close, DRAIN_MS)
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DRAIN_BYTES) close()
  })
  response.on('error', () => {})
  response.on('close', () => clearTimeout(timer))
}

function kindOf(error: NodeJS.ErrnoException, phase: 'connect' | 'tls' | 'response'): FailureKind {
  if (error instanceof AddressRefused) return 'address_refused'
  if (error.name === 'TimeoutError') return 'timeout'
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'name_not_found'
  if (error.code?.startsWith('HPE_')) return 'response_invalid'
  if (phase !== 'response') return phase
  // A certificate is checked after the handshake.
  return /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(error.code ?? '') ? 'tls' : 'connection_lost'
}
