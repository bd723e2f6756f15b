import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { DisputeEngine } from './engine.ts'
import type { Fault } from './faults.ts'

/** Malforms a valid response. */
export async function corrupt(
  fault: Fault,
  answer: Response,
  outgoing: ServerResponse,
  engine: DisputeEngine,
): Promise<Response> {
  const text = await answer.text()
  const headers = Object.fromEntries(answer.headers)
  const { status } = answer
  if (fault.kind === '500_after_apply' && status < 500) {
    const { body, headers: of500 } = engine.profile.errorResponse('500', undefined)
    return new Response(body, { status: 500, headers: { ...headers, ...of500 } })
  }
  if (fault.kind === 'malformed') return new Response(`${text.slice(0, text.length / 2)}\u0000<<`, { status, headers })
  if (fault.kind === 'empty_page' || fault.kind === 'repeated_item' || fault.kind === 'endless_pages') {
    return new Response(engine.profile.reshapePage(fault.kind, text), { status, headers })
  }
  if (fault.kind === 'empty') return new Response('', { status, headers })
  if (fault.kind === 'unlabelled')
    return new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain' } })
  if (fault.kind === 'truncated')
    return write(outgoing, status, headers, text, async (bytes) => {
      outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.socket?.destroy())
    })
  if (fault.kind === 'slow')
    return write(outgoing, status, headers, text, async (bytes) => {
      await pause(fault.delayMs)
      outgoing.end(bytes)
    })
  if (fault.kind === 'trickle')
    return write(outgoing, status, headers, text, async (bytes) => {
      for (let i = 0; i < bytes.length && !outgoing.destroyed; i++) {
        outgoing.write(bytes.subarray(i, i + 1))
        await pause(fault.delayMs)
      }
      outgoing.end()
    })
  return new Response(text, { status, headers })
}

/** Sends the head at once and lets `body` send the rest as it likes. */
function write(
  outgoing: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string,
  body: (bytes: Buffer) => Promise<void>,
): Response {
  const bytes = Buffer.from(text, 'utf8')
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
  outgoing.flushHeaders()
  void body(bytes)
  return RESPONSE_ALREADY_SENT
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
