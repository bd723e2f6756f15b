import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { acceptedSecretTypes, adapterFor } from '../../adapters/registry.ts'
import { createApp } from '../../api/app.ts'
import { connect, type Database, over } from '../../db/core/connect.ts'
import { inScope } from '../../db/core/scope.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { storeFile } from '../../db/evidence/files.ts'
import { recordVerdict } from '../../db/integrations/connections.ts'
import { createIntegration } from '../../db/integrations/integrations.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { issueCredential } from '../../db/merchants/credentials.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { createLog } from '../../process/log.ts'
import { conducted, type SimulatorApp } from '../../simulators/engine/conduct.ts'
import { createEngine, type DisputeEngine } from '../../simulators/engine/engine.ts'
import type { ActivityDeps } from '../../workflows/activities/deps.ts'
import { dispatchNow } from '../../workflows/starters/dispatch.ts'
import { asOwner, createDatabase } from '../harness/database.ts'
import { activitiesWithFaultPoints } from '../harness/fault-points/in-process.ts'
import type { AtFaultPoint } from '../harness/fault-points/points.ts'
import { watchStarts } from '../harness/fault-points/temporal.ts'
import { filesInProcess } from '../harness/file-processes.ts'
import { samplePdf } from '../harness/sample-files.ts'
import { takeOverTime, type VirtualClock } from './clock.ts'
import { createMail, type Mail } from './notifications.ts'
import { createTemporal, type Temporal } from './temporal.ts'
import { askSimulator, takeOverFetch } from './wire.ts'
import { createWorker, type Worker } from './worker.ts'

const PSP_ORIGIN = 'http://127.0.0.1:1'
const API_ORIGIN = 'http://127.0.0.1:2'
/** Every life begins at this time. */
const YEAR_MS = 365 * 24 * 3600 * 1000
const BEGINNING = Date.parse('2026-03-02T09:00:00Z')
const PACE = { commandMs: 60_000, heartbeatMs: 60_000, recheckMs: 60_000, retryMs: 2_000 }

export type Simulation = Awaited<ReturnType<typeof openSimulation>>

/** The environment of one life: an empty database, a new PSP, and a merchant who is connected to it. */
export interface World {
  subject: Subject
  db: Database
  clock: VirtualClock
  engine: DisputeEngine
  temporal: Temporal
  worker: Worker
  merchantUuid: string
  integrationId: string
  /** Two files of the merchant. */
  files: string[]
  /** Whether the API tries to start a workflow run right after its commit, or dies before that. */
  inline: boolean
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  notificationUrl: string
  /** Null if the PSP can be read, so that its notifications are hints only. */
  mail: Mail | null
}

/**
 * The product in one process: the REST application, the activities and a real Postgres; PSP, Temporal and clock are
 * simulated. Lives run one after the other in it.
 */
export async function openSimulation() {
  const database = await createDatabase()
  const clock = await takeOverTime(asOwner(database.url))
  const db = connect(database.url, { scope: 'system', max: 4 })
  const wiper = new pg.Client(asOwner(database.url))
  await wiper.connect()
  const wipe = await wiping(wiper)
  const ring = readKeyRing(`sim:${createHash('sha256').update('simulation').digest('base64')}`)
  const pdfs = [samplePdf(), samplePdf({ content: '0 0 m' })]

  let temporal = createTemporal()
  let psp: { engine: DisputeEngine; app: SimulatorApp } | null = null
  let mail: Mail | null = null
  let inline = true
  const log = { info() {}, warn() {} }
  const deps: ActivityDeps = {
    ...{
      db,
      ring,
      ...{ files: filesInProcess, renderer: filesInProcess },
      adapterFor,
      environment: 'sandbox',
      baseUrls: {},
      polling: { intervalSeconds: 300, pace: PACE },
      log,
      fetch: (url, request) => fetch(url, request),
    },
    get temporal() {
      return temporal.client
    },
    now: () => new Date(),
    counted() {},
  }
  const atFaultPoint: AtFaultPoint = (point) => worker.atFaultPoint(point)
  const activities = activitiesWithFaultPoints(deps, atFaultPoint)
  watchStarts(temporal.client, atFaultPoint)
  const worker = createWorker(
    clock,
    () => temporal,
    () => activities,
  )
  const app = createApp({
    ...{ ring, files: filesInProcess, environment: 'sandbox', rateLimitPerMinute: 1_000_000 },
    db: over(db.pool, 'none'),
    log: createLog({ name: 'simulation', level: 'silent' }),
    dispatch: async (outboxId) =>
      inline ? inScope('system', () => dispatchNow({ ...deps, temporal: temporal.client }, outboxId)) : undefined,
    adapters: { adapterFor, acceptedSecretTypes },
    baseUrls: deps.baseUrls,
    fetch: (url, request) => fetch(url, request),
    now: () => new Date(),
  })
  const fetches = takeOverFetch({
    [PSP_ORIGIN]: async (request) => {
      if (!psp) return new Response(null, { status: 503 })
      try {
        return await askSimulator(psp.app, request, clock.pass)
      } finally {
        if (mail?.pace === 'at once') await mail.arrive('as sent')
      }
    },
    [API_ORIGIN]: async (request) => app.fetch(request),
  })

  return {
    clock,
    /** Begins a new life at that PSP. */
    async begin(subject: Subject, seed: string): Promise<World> {
      await worker.clear()
      await wipe()
      await clock.set(BEGINNING)
      const { definition, simulator, notificationSecret } = subject
      const engine = createEngine(simulator.profile, { seed })
      psp = { engine, app: conducted(engine, simulator.routes(engine)) }
      temporal = createTemporal()
      watchStarts(temporal.client, atFaultPoint)
      mail = null
      inline = true
      deps.baseUrls = { [definition.source]: PSP_ORIGIN }
      const { accountId } = await createAccount(db, { name: 'Acme' })
      const { merchantUuid } = await createMerchant(db, ring, {
        ...{ accountId, merchantName: 'Shop', websiteUrl: 'https://example.com' },
        contact: { email: 'owner@example.com', firstName: 'Olga', lastName: 'Owner' },
      })
      const { token } = await issueCredential(db, ring, {
        ...{ accountId, scope: 'merchant', merchantUuid, environment: 'sandbox' },
        expiresAt: new Date(BEGINNING + YEAR_MS),
      })
      const { integrationId } = await createIntegration(db, ring, {
        merchantUuid,
        source: definition.source,
        integrationName: definition.displayName,
        externalIdentifier: simulator.profile.homeAccount,
        secretType: simulator.secretType,
        secretPayload: {
          ...(notificationSecret && { [notificationSecret]: simulator.profile.notificationSecret }),
          ...(simulator.homeSecretPayload ?? simulator.secretPayload),
        },
      })
      const pspAccount = simulator.profile.homeAccount
      await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount })
      await db.deleteFrom('outbox').execute()
      const files: string[] = []
      for (const content of pdfs) {
        const file = { merchantUuid, name: 'proof.pdf', type: 'application/pdf', content, addresses: [] }
        files.push((await storeFile(db, ring, { ...file, purpose: 'evidence_file', metadata: null })).fileId)
      }
      const notificationUrl = `${API_ORIGIN}/v1/notifications/${integrationId}`
      const inbox = definition.capabilities.listing === 'inbox'
      mail = inbox ? createMail(engine, definition, notificationUrl, () => clock.pass(0)) : null
      return {
        ...{ subject, db, clock, engine, temporal, worker, merchantUuid, integrationId, files, mail },
        get inline() {
          return inline
        },
        set inline(value) {
          inline = value
        },
        async call(method, path, body) {
          const response = await app.request(`/v1${path}`, {
            method,
            headers: {
              authorization: `Bearer ${token}`,
              ...(body !== undefined && { 'content-type': 'application/json' }),
            },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          })
          return { status: response.status, body: (await response.json()) as Record<string, unknown> }
        },
        notificationUrl,
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.clear()
      fetches[Symbol.dispose]()
      await db.destroy()
      await wiper.end()
      await clock[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/**
 * Empties every table in one round trip, except the keys that sign tokens, because processes keep them in memory, and
 * audit trails and accounts' playbooks, which can't be emptied and have no rows here, and the one row of the event log.
 */
async function wiping(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
      and tablename not in ('signing_key', 'operator_action', 'evidence_playbook', 'event_state', 'webhook_endpoint_event',
        'setting_event')`,
  )
  // Disables triggers and foreign keys, which would refuse the deletes.
  const statement = `set session_replication_role = replica; ${rows.map(({ name }) => `delete from "${name}"`).join('; ')}`
  return async () => {
    await client.query(statement)
  }
}
