import { Webhook } from 'standardwebhooks'
import type { Stack } from '../../harness/stack.ts'
import { type Captured, type Receiver, receive } from '../../integration/webhooks/receivers.ts'

/** A merchant's system with a webhook endpoint. */
export interface Consumer extends AsyncDisposable {
  name: string
  endpointId: string
  /** Merchants whose events it may get. */
  merchants: readonly string[]
  /** Ids of events that it answered with 2xx. */
  accepted: Set<string>
  captured: Captured[]
  /** Sentences about requests that it should not have got, since the last call. */
  faults(): string[]
}

/** What happens to the next request; absent: it is answered at once. */
export interface Script {
  /** Called with the first request; it is answered when `reply` is called. */
  hold?: ((reply: () => void) => void) | undefined
  /** Called when the first response has been sent. */
  answered?: (() => void) | undefined
}

/** Each third request is refused, each seventh breaks off. */
const isRefused = (n: number) => n % 3 === 0
const isBrokenOff = (n: number) => n % 7 === 0

/**
 * Creates an endpoint whose receiver checks each request.
 * @param options.flaky refuses some requests
 * @param options.script of its next requests; it may be changed at any time
 */
export async function openConsumer(
  stack: Stack,
  options: { name: string; merchant?: string; merchants: readonly string[]; flaky?: boolean; script?: Script },
): Promise<Consumer> {
  const { name, merchant, merchants, script = {} } = options
  const accepted = new Set<string>()
  let requests = 0
  const receiver: Receiver = await receive((request, response) => {
    requests += 1
    if (options.flaky && isBrokenOff(requests)) return response.destroy()
    if (options.flaky && isRefused(requests)) return response.writeHead(500).end()
    const reply = () => {
      if (response.headersSent) return
      response.writeHead(200).end(() => {
        accepted.add(String(request.headers['webhook-id']))
        script.answered?.()
        script.answered = undefined
      })
    }
    const { hold } = script
    script.hold = undefined
    return hold ? hold(reply) : reply()
  })
  const selected = merchant === undefined ? {} : { 'reference-account-id': merchant }
  const created = await stack.call('POST', '/webhook-endpoints', { url: receiver.url, events: ['*'] }, selected)
  if (created.status !== 201) throw new Error(`no endpoint for ${name}: ${JSON.stringify(created.body)}`)
  const library = new Webhook(created.body.secret)
  let checked = 0
  return {
    ...{ name, merchants, accepted, captured: receiver.captured, endpointId: created.body.id },
    faults() {
      const unchecked = receiver.captured.slice(checked)
      checked = receiver.captured.length
      return unchecked.flatMap((one) => faultsOf(one, library, merchants)).map((fault) => `${name}: ${fault}`)
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

function faultsOf({ headers, body }: Captured, library: Webhook, merchants: readonly string[]): string[] {
  const id = headers['webhook-id']
  try {
    const event = library.verify(body, headers as Record<string, string>) as Record<string, unknown>
    return [
      ...(event.id === id ? [] : [`the request ${id} has the body of ${event.id}`]),
      ...(merchants.includes(String(event.referenceAccountId)) ? [] : [`got ${id} of ${event.referenceAccountId}`]),
      ...(event.quiet ? [`got the quiet event ${id}`] : []),
    ]
  } catch (error) {
    return [`${id} could not be verified: ${(error as Error).message}`]
  }
}
