import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { type EventBody, eventLine } from '../../domain/events/event-line.ts'

/**
 * A webhook receiver as a merchant would have one: it verifies the signature of each event and prints a line for it.
 * @param secret `whsec_…` of its endpoint
 */
export async function startReceiver(
  { host, port, secret }: { host: string; port: number; secret: string },
  print: (line: string) => void,
): Promise<AsyncDisposable> {
  const webhook = new Webhook(secret)
  const isSigned = (headers: IncomingHttpHeaders, body: string) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const isGenuine = isSigned(request.headers, body)
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
