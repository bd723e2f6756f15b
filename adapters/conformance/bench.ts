import type { SecretType } from '../../domain/integration.ts'
import type { JsonObject } from '../../simulators/engine/contract.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/engine/serve.ts'
import type { Adapter, AdapterContext } from '../contract.ts'
import { PspError } from '../errors.ts'
import { type PspFetch, pspFetch } from '../shared/psp-fetch.ts'
import type { StateBench } from './ends.ts'
import { type MemoryInbox, openInbox, openReceiver } from './inbox.ts'
import type { Subject } from './subject.ts'

/** A separate simulated PSP for one check, with an adapter connected over HTTP. */
export interface Bench extends StateBench, AsyncDisposable {
  subject: Subject
  running: RunningSimulator
  /** The account that the credential belongs to. */
  account: string
  /** URLs that the adapter called, in order. */
  requested: string[]
  connect(overrides?: Partial<AdapterContext<unknown>>): Adapter
  /** Where the PSP's notifications are stored, if they are the only source. */
  inbox(): MemoryInbox | undefined
  /** Creates disputes and returns their references. */
  create(order: Record<string, unknown>): Promise<string[]>
  effects(
    kind: string,
    reference?: string,
  ): { idempotencyKey: string | null; ref: string | null; details: JsonObject }[]
}

/** A fetch that ends a request after `ms`: the engine may be less patient than the adapter. */
export const impatient =
  (ms: number): PspFetch =>
  (url, request) =>
    pspFetch(url, { ...request, timeoutMs: Math.min(ms, request?.timeoutMs ?? ms) })

export async function openBench(subject: Subject): Promise<Bench> {
  const { definition, simulator } = subject
  const running = await startSimulator(simulator)
  const account = simulator.profile.homeAccount
  const requested: string[] = []
  const now = () => new Date(running.engine.now() * 1000)

  async function control<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${running.controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`the simulator refused ${method} ${path}: ${text}`)
    return JSON.parse(text) as T
  }

  const inboxes = new Map<string, MemoryInbox>()
  function connect(overrides: Partial<AdapterContext<unknown>> = {}): Adapter {
    const inbox = inboxes.get(overrides.externalIdentifier ?? account)
    return definition.connect({
      secret: secretOf(subject),
      externalIdentifier: account,
      pspAccount: account,
      baseUrl: running.url,
      environment: 'sandbox',
      now,
      fetch: (url, request) => {
        requested.push(url)
        return pspFetch(url, request)
      },
      ...(inbox && { inbox }),
      ...overrides,
    })
  }
  const receiver =
    definition.capabilities.listing === 'inbox' ? await openReceiver((name) => inboxes.get(name)) : undefined
  if (receiver) {
    for (const name of [account, simulator.externalIdentifier]) {
      const { subscriptions } = running.engine
      const verifier = () => connect({ externalIdentifier: name, pspAccount: name })
      inboxes.set(
        name,
        openInbox(verifier, now, () => subscriptions.idle()),
      )
      await control('POST', '/subscriptions', { url: `${receiver.url}/${name}`, account: name })
    }
  }

  return {
    subject,
    running,
    account,
    requested,
    control,
    now,
    connect,
    inbox: () => inboxes.get(account),
    async create(order) {
      const { disputes } = await control<{ disputes: { ref: string }[] }>('POST', '/disputes', order)
      return disputes.map((dispute) => dispute.ref)
    },
    objectOf(reference) {
      const record = running.engine.find(reference)
      if (!record) throw new Error(`the simulator has no dispute ${reference}`)
      return running.engine.read(record)
    },
    effects: (kind, reference) =>
      running.engine.ledger.effects.filter(
        (effect) => effect.kind === kind && (reference === undefined || effect.ref === reference),
      ),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]()
      await receiver?.close()
    },
  }
}

/**
 * One read over HTTP: the list, or for an adapter that lists the engine's inbox, a dispute's evidence requirements.
 * @returns the number of disputes
 */
export async function readOverHttp(bench: Bench, adapter: Adapter): Promise<number> {
  const { capabilities, cursor } = bench.subject.definition
  if (capabilities.listing !== 'inbox') {
    for (let at = cursor.initial(bench.now()); ; ) {
      const page = await adapter.listDisputes({ cursor: at, oldestOpen: null })
      if (page.items.length > 0 || !page.hasMore) return page.items.length
      at = page.cursor
    }
  }
  const disputes = bench.running.engine.account(bench.account).disputes.all()
  const [reference = ''] = disputes.length > 0 ? disputes.map((record) => record.reference) : await bench.create({})
  await adapter.describeEvidence?.(reference)
  return disputes.length
}

/** Requests that write to disputes. */
export function writesOf({ writePath, writeMethod = 'POST' }: Subject): { method: string; path?: string } {
  return { method: writeMethod, ...(writePath !== undefined && { path: writePath }) }
}

/** Requests that submit evidence. */
export function submitsOf(subject: Subject): ReturnType<typeof writesOf> {
  const { submitPath: path } = subject
  return { ...writesOf(subject), ...(path !== undefined && { path }) }
}

/** The credential of the home account, or another payload, parsed by the adapter's schema. */
export function secretOf(
  subject: Subject,
  payload: Record<string, string> = subject.simulator.homeSecretPayload ?? subject.simulator.secretPayload,
): unknown {
  const { secretType, profile } = subject.simulator
  const secret = subject.definition.secrets[secretType as SecretType]
  if (!secret) throw new Error(`the adapter doesn't take ${secretType}`)
  const signing =
    subject.notificationSecret === null ? {} : { [subject.notificationSecret]: profile.notificationSecret }
  return secret.schema.parse({ ...signing, ...payload })
}

/** The error of `work`. @throws when it succeeds or fails with anything but a PspError */
export async function refusal(work: Promise<unknown>): Promise<PspError> {
  const thrown = await work.then(
    (value) => new Error(`it answered ${JSON.stringify(value)} where it had to refuse`),
    (error: unknown) => error,
  )
  if (thrown instanceof PspError) return thrown
  throw thrown instanceof Error ? thrown : new Error(String(thrown))
}
