import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BraintreeCursor } from '../../../../adapters/braintree/cursor.ts'
import { braintree } from '../../../../adapters/braintree/index.ts'
import type { BraintreeSecret } from '../../../../adapters/braintree/secret.ts'
import type { Adapter, AdapterContext } from '../../../../adapters/contract.ts'
import { PspError } from '../../../../adapters/errors.ts'
import { pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import type { Switches } from '../../../../simulators/braintree/endpoint.ts'
import { createBraintreeSimulator, DEMO_MERCHANT } from '../../../../simulators/braintree/index.ts'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of many shapes, and assert what they expect
export type Anything = any

export const SECRET: BraintreeSecret = {
  publicKey: 'rcpdemo7k2m9q4x8',
  secretKey: '5f0c2d9b7a4e81c3d6f2a9b04e7c1d38',
}

export const CONTEXT: AdapterContext<BraintreeSecret> = {
  secret: SECRET,
  externalIdentifier: DEMO_MERCHANT,
  pspAccount: null,
  baseUrl: null,
  environment: 'sandbox',
  fetch: pspFetch,
  now: () => new Date(),
}

export function connectTo(
  baseUrl: string,
  overrides: Partial<AdapterContext<BraintreeSecret>> = {},
): Required<Adapter<BraintreeCursor>> {
  return braintree.connect({ ...CONTEXT, baseUrl, ...overrides }) as Required<Adapter<BraintreeCursor>>
}

export interface Simulated extends AsyncDisposable {
  running: RunningSimulator
  adapter: Required<Adapter<BraintreeCursor>>
  connect(overrides?: Partial<AdapterContext<BraintreeSecret>>): Required<Adapter<BraintreeCursor>>
  control(method: string, path: string, body?: unknown): Promise<Anything>
  create(order: object): Promise<string[]>
  /** Method and path of the calls that arrived, without the merchant's part. */
  calls(): string[]
}

/** A simulated Braintree for one test, with the adapter connected to it. */
export async function simulated(switches: Partial<Switches> = {}): Promise<Simulated> {
  const running = await startSimulator(createBraintreeSimulator(switches))
  const now = () => new Date(running.engine.now() * 1000)
  const connect = (overrides: Partial<AdapterContext<BraintreeSecret>> = {}) =>
    connectTo(running.url, { now, ...overrides })
  async function control(method: string, path: string, body?: unknown): Promise<Anything> {
    const response = await fetch(running.controlUrl + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(await response.text())
    return response.json()
  }
  return {
    running,
    connect,
    adapter: connect(),
    control,
    create: async (order) => (await control('POST', '/disputes', order)).disputes.map((d: { ref: string }) => d.ref),
    calls: () =>
      running.engine.ledger.calls.map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/')}`),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** An HTTP server in place of Braintree; `reply` sends each response. */
export async function startServer(
  reply: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
      reply(request, response, Buffer.concat(chunks).toString('utf8'))
    } catch {
      // A broken connection, or a request of another test that used this port before.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function sendXml(response: ServerResponse, status: number, body: string | Buffer, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/xml; charset=utf-8', ...headers })
  response.end(body)
}

/** The error of a call that must fail. */
export async function refusal(work: Promise<unknown>): Promise<PspError> {
  const thrown: unknown = await work.then(
    (value) => new Error(`it returned ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof PspError) return thrown
  throw thrown
}

/** A packet with one document, uploaded like by the engine. */
export async function packetOf(
  adapter: Required<Adapter<BraintreeCursor>>,
  reference: string,
  texts: Record<string, string> = {},
) {
  const file = { name: 'proof.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
  const packet = { reference, idempotencyKey: 'k', digest: 'd'.repeat(64) }
  const { fileReference } = await adapter.uploadFile({ ...packet, file })
  return { ...packet, files: { GENERAL: fileReference }, texts }
}

export const INITIAL: BraintreeCursor = { polledOn: null, sweptOn: null, undecided: null, scan: null }
