import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type EventBody, eventLine } from '../../domain/events/event-line.ts'
import { signedHeaders } from '../../webhooks/sign.ts'

/** Receivers refuse older and later timestamps, so that nobody can send a recorded request again. Seconds. */
const TOLERANCE = 300

/**
 * A webhook receiver as a merchant would have one: it verifies the signature of each event and prints a line for it.
 * @param secret `whsec_…` of its endpoint
 */
export async function startReceiver(
  { host, port, secret }: { host: string; port: number; secret: string },
  print: (line: string) => void,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const isGenuine = isSigned(request.headers, body, secret)
        response.writeHead(isGenuine ? 204 : 401).end()
        print(isGenuine ? eventLine(JSON.parse(body) as EventBody) : 'refused: the signature does not fit the secret')
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What the libraries of Standard Webhooks check. */
function isSigned(headers: IncomingMessage['headers'], body: string, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (typeof id !== 'string' || typeof signatures !== 'string' || !/^\d{1,12}$/.test(String(timestamp))) return false
  const at = new Date(Number(timestamp) * 1000)
  if (Math.abs(Date.now() - at.getTime()) > TOLERANCE * 1000) return false
  const expected = Buffer.from(signedHeaders({ id, at, body: Buffer.from(body) }, [secret])['webhook-signature'] ?? '')
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Lines that are kept until they may be printed, for example below the instructions of the start. */
export function holdLines(print: (line: string) => void): { add(line: string): void; release(): void } {
  let held: string[] | null = []
  return {
    add: (line) => (held ? void held.push(line) : print(line)),
    release() {
      for (const line of held ?? []) print(line)
      held = null
    },
  }
}
