import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { SimulatorApp } from '../../simulators/engine/conduct.ts'

/** Maximum time that an adapter waits for a response. */
const TIMEOUT_MS = 25_000

type Serve = (request: Request) => Promise<Response>

/** Serves requests to these origins in this process, without a connection; sends all others as usual. */
export function takeOverFetch(origins: Readonly<Record<string, Serve>>): Disposable {
  const real = globalThis.fetch
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const serve = origins[new URL(request.url).origin]
    if (!serve) return real(request)
    request.signal.throwIfAborted()
    return serve(request)
  }
  return {
    [Symbol.dispose]() {
      globalThis.fetch = real
    },
  }
}

/**
 * Calls a simulated PSP as if over a connection that can be cut. A hanging connection ends after the adapters'
 * time-out, in virtual time.
 */
export async function askSimulator(
  app: SimulatorApp,
  request: Request,
  pass: (ms: number) => Promise<void>,
): Promise<Response> {
  let cut = false
  const resetAndDestroy = () => {
    cut = true
  }
  const response = await app.fetch(request, { outgoing: { socket: { resetAndDestroy } } } as never)
  if (!hasNoResponse(response)) return response
  if (cut) throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) })
  await pass(TIMEOUT_MS)
  throw new DOMException('The operation was aborted due to timeout', 'TimeoutError')
}

const [ALREADY_SENT = ''] = [...RESPONSE_ALREADY_SENT.headers.keys()]

const hasNoResponse = (response: Response) => response.headers.has(ALREADY_SENT)
