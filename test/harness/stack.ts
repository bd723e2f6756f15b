import { randomBytes } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { connect } from '../../db/core/connect.ts'
import { type KeyRing, readKeyRing } from '../../db/core/seal.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { issueCredential } from '../../db/merchants/credentials.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { quietPorts } from '../../process/ports.ts'
import type { SimulatorDefinition } from '../../simulators/engine/definition.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../simulators/stripe/index.ts'
import { connectLazily } from '../../workflows/starters/temporal.ts'
import { type Child, startChild } from './child.ts'
import { createDatabase } from './database.ts'
import { entryOf } from './fault-points/entry.ts'
import { emptyNamespace, takeNamespace } from './namespace.ts'
import { testServers } from './servers.ts'
import { until } from './until.ts'
import { workflowBundle } from './workflow-bundle.ts'

export interface StackOptions {
  workers?: number
  apis?: number
  /** Simulated PSPs in addition to Stripe, by the variable of their address. */
  psps?: Record<string, SimulatorDefinition>
  /** Variables for every child. */
  env?: Record<string, string>
  /** The test's own Temporal server. */
  temporal?: { address: string; namespace: string }
  /** The test's own migrated Postgres. */
  databaseUrl?: string
}

export interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: each test checks its responses
  body: any
  headers: Headers
}

export type Api = Child & { url: string; operatorsUrl: string }

/** The running product: real processes on real servers, one account with one merchant, a simulated Stripe. */
export interface Stack {
  db: ReturnType<typeof connect>
  databaseUrl: string
  ring: KeyRing
  /** As RECOUP_ENCRYPTION_KEYS. */
  keys: string
  temporal: Client
  namespace: string
  simulator: RunningSimulator
  /** The simulators of `psps`, by source. */
  others: Map<string, RunningSimulator>
  /** `operatorsUrl` has health and metrics. */
  apis: Api[]
  workers: (Child & { url: string })[]
  accountId: string
  merchantUuid: string
  referenceId: string
  token: string
  /** Its `url` has health and metrics. */
  startWorker(env?: Record<string, string>): Promise<Child & { url: string }>
  startApi(env?: Record<string, string>): Promise<Api>
  /** A call of the REST interface with the account's token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  control(method: string, path: string, body?: unknown): Promise<ApiResponse>
  /** Connects the simulated Stripe through the interface and waits until it is verified. */
  connectStripe(change?: Record<string, unknown>): Promise<string>
  /** All lines of all processes. */
  lines(): string[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Short enough that the work of a killed worker continues within seconds. */
const FAST = {
  RECOUP_HEARTBEAT_MS: '2000',
  RECOUP_COMMAND_TIMEOUT_MS: '5000',
  RECOUP_STICKY_SECONDS: '1',
  RECOUP_RETRY_MS: '200',
  RECOUP_RECHECK_MS: '1000',
  RECOUP_POLL_INTERVAL_SECONDS: '3600',
  RECOUP_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  RECOUP_SHUTDOWN_GRACE_SECONDS: '3',
  RECOUP_LOG_LEVEL: 'info',
  // All clients of a test have one address.
  RECOUP_STRANGER_LIMIT_PER_MINUTE: '1000000',
  RECOUP_ACCOUNT_LIMIT_PER_MINUTE: '1000000',
  RECOUP_CONNECTIONS_PER_ADDRESS: '4096',
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const database = options.databaseUrl ? null : await createDatabase()
  const databaseUrl = options.databaseUrl ?? (database?.url as string)
  const namespace = options.temporal?.namespace ?? (await takeNamespace())
  const address = options.temporal?.address ?? testServers().temporalAddress
  const simulator = await startSimulator(stripeSimulator)
  const others = new Map<string, RunningSimulator>()
  const addresses: Record<string, string> = {}
  for (const [variable, definition] of Object.entries(options.psps ?? {})) {
    const running = await startSimulator(definition)
    others.set(definition.source, running)
    addresses[variable] = running.url
  }
  const keys = `test:${randomBytes(32).toString('base64')}`
  const ring = readKeyRing(keys)
  const db = connect(databaseUrl, { scope: 'system', max: 4 })
  const temporal = connectLazily(address, namespace)
  const env = {
    ...FAST,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    RECOUP_ENCRYPTION_KEYS: keys,
    STRIPE_API_URL: simulator.url,
    ...addresses,
    RECOUP_WORKFLOW_BUNDLE: await workflowBundle(),
    ...options.env,
  }
  const { accountId } = await createAccount(db, { name: 'Test account' })
  const merchant = await createMerchant(db, ring, {
    accountId,
    merchantName: 'Test shop',
    websiteUrl: 'https://shop.example.com',
    contact: { email: 'owner@shop.example.com', firstName: 'Olive', lastName: 'Owner' },
    referenceId: 'shop-1',
  })
  const { token } = await issueCredential(db, ring, { accountId, scope: 'account', environment: 'sandbox' })

  const apis: Stack['apis'] = []
  const workers: Stack['workers'] = []
  const stack: Stack = {
    db,
    databaseUrl,
    ring,
    keys,
    temporal,
    namespace,
    simulator,
    others,
    apis,
    workers,
    accountId,
    token,
    merchantUuid: merchant.merchantUuid,
    referenceId: merchant.referenceId,
    async startWorker(more = {}) {
      const [port = 0] = await quietPorts(1)
      const child = startChild(entryOf('worker', { ...env, ...more }), {
        ...env,
        RECOUP_WORKER_PORT: String(port),
        ...more,
      })
      const worker = Object.assign(child, { url: `http://127.0.0.1:${port}` })
      workers.push(worker)
      await ready(child, worker.url)
      return worker
    },
    async startApi(more = {}) {
      const [free = 0, metrics = 0] = await quietPorts(2)
      const port = Number(more.RECOUP_API_PORT ?? free)
      const ports = { RECOUP_API_PORT: String(port), RECOUP_API_METRICS_PORT: String(metrics) }
      const child = startChild(entryOf('api', { ...env, ...more }), { ...env, ...more, ...ports })
      const [url, operatorsUrl] = [port, metrics].map((one) => `http://127.0.0.1:${one}`) as [string, string]
      const api = Object.assign(child, { url, operatorsUrl })
      apis.push(api)
      await ready(child, api.url, '/health')
      return api
    },
    call: (method, path, body, headers) =>
      send(`${apis.at(-1)?.url}/v1${path}`, method, body, { authorization: `Bearer ${token}`, ...headers }),
    control: (method, path, body) => send(`${simulator.controlUrl}${path}`, method, body, {}),
    async connectStripe(change = {}) {
      // The simulated Stripe refuses unknown accounts.
      const { externalIdentifier } = change
      if (externalIdentifier !== undefined) {
        await stack.control('POST', '/accounts', { account: externalIdentifier })
      }
      const created = await stack.call('POST', '/integrations', { ...stripeIntegration(), ...change })
      if (created.status !== 201)
        throw new Error(`POST /integrations returned ${created.status}: ${JSON.stringify(created.body)}`)
      const { integrationId } = created.body
      await until(
        'the integration is verified',
        async () => (await stack.call('GET', `/integrations/${integrationId}`)).body.status,
        {
          holds: (status) => status === 'SUCCESSFUL',
        },
      )
      return integrationId
    },
    lines: () => [...apis, ...workers].flatMap((child) => child.lines),
    async [Symbol.asyncDispose]() {
      // Draining would take seconds for nothing.
      for (const child of [...apis, ...workers]) child.kill('SIGKILL')
      await Promise.all([...apis, ...workers].map((child) => child.exited))
      // The test's own server may have ended; a run may have ended meanwhile.
      if (!options.temporal) await emptyNamespace(temporal).catch(() => undefined)
      await Promise.all([simulator, ...others.values()].map((running) => running[Symbol.asyncDispose]()))
      await temporal.connection.close()
      await db.destroy()
      await database?.[Symbol.asyncDispose]()
    },
  }
  try {
    await Promise.all([
      ...Array.from({ length: options.workers ?? 1 }, () => stack.startWorker()),
      ...Array.from({ length: options.apis ?? 1 }, () => stack.startApi()),
    ])
  } catch (error) {
    await stack[Symbol.asyncDispose]()
    throw error
  }
  return stack
}

/** Request body that connects the simulated Stripe's own account. */
export function stripeIntegration(): Record<string, unknown> {
  return {
    integrationName: 'Test Stripe',
    source: 'stripe',
    secretType: stripeSimulator.secretType,
    secretPayload: stripeSimulator.secretPayload,
    externalIdentifier: stripeSimulator.profile.homeAccount,
  }
}

async function ready(child: Child, url: string, path = '/ready'): Promise<void> {
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  await until(
    `${url}${path} returns 200`,
    async () => ended || (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(3_000) })).ok,
    { timeoutMs: 90_000 },
  )
  if (ended) throw new Error(`the process ended at its start:\n${child.lines.slice(-20).join('\n')}`)
}

async function send(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<ApiResponse> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}
