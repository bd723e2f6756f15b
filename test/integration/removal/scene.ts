import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import { adapterFor } from '../../../adapters/registry.ts'
import type { DataSubject } from '../../../db/erasure/removals.ts'
import { recordVerdict } from '../../../db/integrations/connections.ts'
import { createIntegration, type NewIntegration } from '../../../db/integrations/integrations.ts'
import { startSimulator } from '../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { personOf } from '../../../simulators/stripe/payments/people.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { activitiesWithFaultPoints } from '../../harness/fault-points/in-process.ts'
import type { FaultPoint } from '../../harness/fault-points/points.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { search } from '../../harness/whole-database.ts'
import { multipart, type Part } from '../../interface/multipart.ts'
import { createStage } from '../api/stage.ts'

const logger = new DefaultLogger('ERROR')

export type Scene = Awaited<ReturnType<typeof openScene>>

export interface Subject extends DataSubject {
  phone: string
}

/** A merchant at a simulated Stripe, the interface, and a worker's activities run one by one, without Temporal. */
export async function openScene() {
  const stage = await createStage()
  const running = await startSimulator(stripeSimulator)
  const { db, ring, merchantUuid } = stage
  const deps: ActivityDeps = {
    db,
    ring,
    files: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls: { stripe: running.url },
    polling: { intervalSeconds: 60, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
  }
  const atFaultPoint = new Map<FaultPoint, () => Promise<void>>()
  const activities = activitiesWithFaultPoints(deps, async (point) => atFaultPoint.get(point)?.())
  const run = <Input, Result>(activity: (input: Input) => Promise<Result>, input: Input): Promise<Result> =>
    new MockActivityEnvironment({}, { logger }).run(activity, input)

  async function connect(change: Partial<NewIntegration> = {}): Promise<string> {
    const { integrationId } = await createIntegration(db, ring, {
      merchantUuid,
      source: 'stripe',
      integrationName: 'Stripe',
      externalIdentifier: stripeSimulator.profile.homeAccount,
      secretType: stripeSimulator.secretType,
      secretPayload: { ...stripeSimulator.secretPayload, webhookSecret: stripeSimulator.profile.notificationSecret },
      ...change,
    })
    const pspAccount = stripeSimulator.profile.homeAccount
    await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount })
    return integrationId
  }
  const integrationId = await connect()
  const server = serve({ fetch: stage.app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    stage.call(method, `/v1${path}`, { body, headers })
  const control = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${running.controlUrl}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })
    // biome-ignore lint/suspicious/noExplicitAny: judged by the test
    return (await answer.json()) as any
  }
  const requested = async (who: DataSubject) => {
    const { email, firstName, lastName } = who
    const answer = await call('POST', '/data-subjects/removal', { email, firstName, lastName })
    if (answer.status !== 201) throw new Error(answer.text)
    const row = await db
      .selectFrom('removal')
      .selectAll()
      .orderBy('removal_id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return row.removal_id
  }

  return {
    stage,
    integrationId,
    /** What happens when an activity comes to a fault point. */
    atFaultPoint,
    activities,
    run,
    call,
    control,
    connect,
    requested,
    /** Creates a dispute and says whose it is, as the simulated PSP draws it from the dispute's token. */
    async dispute(order: object = {}): Promise<{ reference: string; payer: Subject }> {
      const { disputes } = await control('POST', '/disputes', {
        status: 'needs_response',
        stage: 'chargeback',
        ...order,
      })
      const reference = disputes[0].ref as string
      const { name, email, phone } = personOf(reference.replace('du_1', ''))
      const [firstName = '', lastName = ''] = name.split(' ')
      return { reference, payer: { email, firstName, lastName, phone } }
    },
    /** Has the simulated PSP deliver its newest notification about the dispute. */
    async notify(ref: string): Promise<void> {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/notifications/${integrationId}`
      const { deliveries } = await control('POST', '/notifications', { url, ref })
      if (deliveries[0]?.status !== 200) throw new Error(`not delivered: ${JSON.stringify(deliveries)}`)
    },
    async poll(): Promise<void> {
      await run(activities.ingestPages, { integrationId })
      await run(activities.enrichChargebacks, { integrationId })
    },
    chargeback: (reference: string) =>
      db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', reference).executeTakeFirstOrThrow(),
    async upload(content: Buffer, more: Part[] = [], extra: Record<string, string> = {}, filename = 'proof.pdf') {
      const parts = [{ name: 'file', content, filename }, { name: 'purpose', content: 'evidence_file' }, ...more]
      const { type, body } = multipart(parts)
      const headers = { authorization: `Bearer ${stage.token}`, 'content-type': type, ...extra }
      const answer = await stage.app.request('/v1/files', { method: 'POST', headers, body })
      return (await answer.json()) as { id: string; metadata?: string; checksum: string }
    },
    /** Asks for the removal and does what its workflow does, up to `passes`. @returns whether it was done */
    async remove(who: DataSubject, passes = 5): Promise<boolean> {
      const removalId = await requested(who)
      await run(activities.listErased, { removalId })
      for (let pass = 0; pass < passes; pass++) {
        const { found, held } = await run(activities.eraseSubject, { removalId })
        if (found > 0 || held > 0) continue
        await run(activities.recordRemoval, { removalId })
        return true
      }
      return false
    },
    proof: async () =>
      (await db.selectFrom('removal').select('proof').orderBy('removal_id', 'desc').limit(1).executeTakeFirstOrThrow())
        .proof,
    /** Where in the whole database the person stands. */
    async placesOf(who: Subject): Promise<string[]> {
      const found = await search(db, ring, [who.email, who.phone])
      return [...new Set(Object.values(found).flat())].sort()
    },
    async [Symbol.asyncDispose]() {
      server.close()
      await running[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
