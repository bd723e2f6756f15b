import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import type { Subject } from '../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../adapters/conformance/subjects.ts'
import type { ApiDeps } from '../../api/context.ts'
import { recordVerdict } from '../../db/integrations/connections.ts'
import { createIntegration, type NewIntegration } from '../../db/integrations/integrations.ts'
import { startSimulator } from '../../simulators/engine/serve.ts'
import type { ActivityDeps } from '../../workflows/activities/deps.ts'
import { createActivities } from '../../workflows/activities/index.ts'
import { connectLazily } from '../../workflows/starters/temporal.ts'
import { createStage } from '../integration/api/stage.ts'
import { activitiesWithFaultPoints } from './fault-points/in-process.ts'
import type { AtFaultPoint, FaultPoint } from './fault-points/points.ts'
import { fileProcesses, renderProcesses } from './file-processes.ts'
import { unlimited } from './unlimited.ts'

// Many of these tests cause failed attempts on purpose: don't log each of them.
const logger = new DefaultLogger('ERROR')
const TIMEOUTS = { startToCloseTimeoutMs: 20_000, heartbeatTimeoutMs: 20_000 }

export interface InProcessOptions {
  api?: Partial<ApiDeps>
  activities?: Partial<ActivityDeps>
  /** Activities have fault points. The test acts at some by `atFaultPoint`, or at all of them by this function. */
  faultPoints?: true | AtFaultPoint
}

/** What an activity knows about its own attempt. */
export type Info = NonNullable<ConstructorParameters<typeof MockActivityEnvironment>[0]>

export type InProcess = Awaited<ReturnType<typeof openInProcess>>

/** The adapter and simulator of a PSP. */
export const subjectOf = (source: string) => SUBJECTS.find(({ definition }) => definition.source === source) as Subject

/**
 * The in-process world: the REST interface with a database, one simulated PSP, and a worker's activities. Without
 * Temporal nothing runs by itself: each test calls the activities that it tests. A test of the rate limit gives the real
 * `adapterFor`.
 */
export async function openInProcess({ definition, simulator, notificationSecret }: Subject, options: InProcessOptions) {
  const running = await startSimulator(simulator)
  const baseUrls = { [definition.source]: running.url }
  const stage = await createStage({ baseUrls, ...options.api })
  const { db, ring, merchantUuid } = stage
  const deps: ActivityDeps = {
    db,
    ring,
    files: fileProcesses,
    renderer: renderProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor: unlimited,
    environment: 'sandbox',
    baseUrls,
    polling: { intervalSeconds: 60, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
    ...options.activities,
  }
  const server = serve({ fetch: stage.app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const heartbeats: unknown[] = []
  const atFaultPoint = new Map<FaultPoint, () => Promise<void>>()

  return {
    stage,
    deps,
    /** Address of the API. */
    origin,
    activities: options.faultPoints
      ? activitiesWithFaultPoints(
          deps,
          options.faultPoints === true ? async (point) => atFaultPoint.get(point)?.() : options.faultPoints,
        )
      : createActivities(deps),
    /** Actions at fault points. */
    atFaultPoint,
    engine: running.engine,
    controlUrl: running.controlUrl,
    account: simulator.profile.homeAccount,
    /** Details of the activities' heartbeats. */
    heartbeats,
    /** Runs one activity in its own context. */
    run<Input, Result>(activity: (input: Input) => Promise<Result>, input: Input, info: Info = {}): Promise<Result> {
      const environment = new MockActivityEnvironment({ ...TIMEOUTS, ...info }, { logger })
      environment.on('heartbeat', (details) => heartbeats.push(details))
      return environment.run(activity, input)
    },
    /** An integration whose key is verified to belong to `pspAccount`. @returns its id */
    async connect(change: Partial<NewIntegration> = {}, pspAccount = simulator.profile.homeAccount): Promise<string> {
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
        ...change,
      })
      await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount })
      return integrationId
    },
    /** Where the PSP delivers notifications for an integration. */
    notificationUrl: (integrationId: string) => `${origin}/v1/notifications/${integrationId}`,
    /** The control interface of the simulated PSP. */
    async control(method: string, path: string, body?: unknown) {
      const response = await fetch(`${running.controlUrl}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: the test checks it
      return (await response.json()) as any
    },
    async [Symbol.asyncDispose]() {
      server.close()
      await running[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
