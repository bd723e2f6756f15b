import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { createBudget } from './budget.ts'

/** What is drained before the response is sent: a small or fast body. */
const BEFORE = { bytes: 8_388_608, ms: 1_000 }
/** What is drained after it. Closing a socket with unread bytes resets it, and the client may lose the response. */
const AFTER = { bytes: 67_108_864, ms: 10_000 }
/** Bodies that are drained at the same time, and those of one client. Further ones are cut off. */
const AT_ONCE = { all: 128, ofClient: 16 }

type Fetch = (request: Request, bindings: HttpBindings) => Promise<Response> | Response

/**
 * A response may be ready before its request has arrived: a body that is too large, has a wrong type or comes without a
 * credential is not read. The rest is discarded first, so that the connection can serve the next request. A body that
 * is too large or too slow for that gets `Connection: close`, and is drained for a while. A client that sends many such
 * bodies at once may lose responses, because draining them all would cost more than they are worth.
 * @param clientOf whose request it is
 */
export function drainRefused(fetch: Fetch, clientOf: (incoming: IncomingMessage) => string): Fetch {
  const drains = createBudget(AT_ONCE.all)
  return async (request, bindings) => {
    const response = await fetch(request, bindings)
    const { incoming } = bindings
    if (incoming.complete) return response
    const release = drains.take(1, { [clientOf(incoming)]: AT_ONCE.ofClient })
    if (release && (await drained(incoming, BEFORE))) {
      release()
      return response
    }
    const text = new Uint8Array(await response.arrayBuffer())
    const headers = new Headers(response.headers)
    headers.set('connection', 'close')
    headers.set('content-length', String(text.length))
    const answer = (body: Uint8Array | ReadableStream) => new Response(body, { status: response.status, headers })
    if (!release) return answer(text)
    const drainedAfter = async (controller: ReadableStreamDefaultController) => {
      controller.enqueue(text)
      await drained(incoming, AFTER).finally(release)
      controller.close()
    }
    return answer(new ReadableStream({ start: drainedAfter }))
  }
}

/** Discards incoming data, within bounds. @returns whether the body ended */
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
    // Earlier listeners would keep the body in memory.
    incoming.removeAllListeners('data')
    incoming.on('data', count).on('end', end).on('close', end).resume()
  })
}
