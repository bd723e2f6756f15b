import Stripe from 'stripe'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses of many shapes
export type Anything = any

export interface Connected extends AsyncDisposable {
  simulator: RunningSimulator
  stripe: Stripe
  /** The control surface: method and path, JSON both ways. */
  control(call: string, body?: unknown): Promise<{ status: number; body: Anything }>
  /** Arms a hold and returns its id. */
  hold(path: string, release: 'apply' | 'drop', method?: string): Promise<string>
  /** Calls the PSP's own address without the SDK, with the demo key. */
  raw(call: string, options?: { body?: string; headers?: Record<string, string> }): Promise<Response>
  /** Creates disputes and returns their ids. */
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

/** Starts a simulated Stripe for one test, with the real SDK connected to it. */
export async function connect(options: { snapshotFile?: string; seed?: string } = {}): Promise<Connected> {
  const simulator = await startSimulator(stripeSimulator, options)
  async function control(call: string, body?: unknown): Promise<{ status: number; body: Anything }> {
    const [method = 'GET', path = '/'] = call.split(' ')
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(simulator.controlUrl + path, { method, ...sent })
    return { status: response.status, body: await response.json() }
  }
  return {
    simulator,
    stripe: clientOf(simulator.url),
    control,
    async hold(path, release, method) {
      // biome-ignore lint/suspicious/noThenProperty: the name in the control surface
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

/** The error of a call that is expected to be refused. @throws if it is not refused */
export async function refusal(call: Promise<unknown>): Promise<Anything> {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('the call was expected to be refused')
}
