import Stripe from 'stripe'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes, and say there what they expect
export type Anything = any

export interface Connected extends AsyncDisposable {
  simulator: RunningSimulator
  stripe: Stripe
  /** The control surface: method and path, JSON both ways. */
  control(call: string, body?: unknown): Promise<{ status: number; body: Anything }>
  /** Arms a hold; answers its id. */
  hold(path: string, release: 'apply' | 'drop', method?: string): Promise<string>
  /** The PSP's own address without the SDK, with the demo key. */
  raw(call: string, options?: { body?: string; headers?: Record<string, string> }): Promise<Response>
  /** Creates disputes and answers their ids. */
  create(order: object): Promise<string[]>
}

export function clientOf(url: string, key = stripeSimulator.secretPayload.apiKey ?? '', timeout = 5000): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(key, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    timeout,
    httpClient: Stripe.createFetchHttpClient(),
  })
}

/** A simulated Stripe of its own for one test, with the real SDK connected to it. */
export async function connect(options: { snapshotFile?: string; seed?: string } = {}): Promise<Connected> {
  const simulator = await startSimulator(stripeSimulator, options)
  async function control(call: string, body?: unknown): Promise<{ status: number; body: Anything }> {
    const [method = 'GET', path = '/'] = call.split(' ')
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const answer = await fetch(simulator.controlUrl + path, { method, ...sent })
    return { status: answer.status, body: await answer.json() }
  }
  return {
    simulator,
    stripe: clientOf(simulator.url),
    control,
    async hold(path, release, method) {
      // biome-ignore lint/suspicious/noThenProperty: the control surface calls it so
      const { body } = await control('POST /holds', { match: { path, method }, then: release })
      return body.id
    },
    raw(call, { body, headers } = {}) {
      const [method = 'GET', path = '/'] = call.split(' ')
      const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      return fetch(simulator.url + path, {
        method,
        headers: { authorization: `Bearer ${stripeSimulator.secretPayload.apiKey}`, ...form, ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
      })
    },
    async create(order) {
      const { body } = await control('POST /disputes', order)
      return body.disputes.map((dispute: { ref: string }) => dispute.ref)
    },
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  }
}

/** What an awaited call was refused with. @throws when it was not refused */
export async function refusal(call: Promise<unknown>): Promise<Anything> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('the call was expected to be refused')
}
