import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'

/** What may still arrive before the response is sent: a body from nearby, of an upload at most. */
const BEFORE = { bytes: 8_388_608, ms: 1_000 }
/** What may arrive after it. A socket closed on unread bytes is reset, and the client may lose the response. */
const AFTER = { bytes: 67_108_864, ms: 10_000 }

type Fetch = (request: Request, bindings: HttpBindings) => Promise<Response> | Response

/**
 * A response may be ready before its request has arrived: a body that is too large, of a wrong type, or without a
 * credential is not read. The rest is thrown away first, so that the connection serves the next request. A body that
 * is too large or too slow for that is answered with `Connection: close`, and read on for a while.
 */
export function drainRefused(fetch: Fetch): Fetch {
  return async (request, bindings) => {
    const response = await fetch(request, bindings)
    const { incoming } = bindings
    if (incoming.complete || (await drained(incoming, BEFORE))) return response
    const text = new Uint8Array(await response.arrayBuffer())
    const headers = new Headers(response.headers)
    headers.set('connection', 'close')
    headers.set('content-length', String(text.length))
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(text)
        await drained(incoming, AFTER)
        controller.close()
      },
    })
    return new Response(body, { status: response.status, headers })
  }
}

/** Throws away what arrives, within bounds. @returns whether it was all */
function drained(incoming: IncomingMessage, { bytes, ms }: typeof BEFORE): Promise<boolean> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve(true)
  return new Promise((resolve) => {
    let left = bytes
    const end = () => {
      clearTimeout(timer)
      incoming.off('data', count).off('end', end).off('close', end).pause()
      resolve(incoming.complete || incoming.destroyed)
    }
    const count = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) end()
    }
    const timer = setTimeout(end, ms)
    // Whoever began to read the body would keep it in memory.
    incoming.removeAllListeners('data')
    incoming.on('data', count).on('end', end).on('close', end).resume()
  })
}
