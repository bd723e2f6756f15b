import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { MockActivityEnvironment } from '@temporalio/testing'
import type { Subject } from '../../../adapters/conformance/subject.ts'
import { adapterFor } from '../../../adapters/registry.ts'
import { recordVerdict } from '../../../db/integrations/connections.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { sweepRotations } from '../../../db/integrations/secret-rotations.ts'
import { startSimulator } from '../../../simulators/engine/serve.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { createActivities } from '../../../workflows/activities/index.ts'
import type { SliceResult } from '../../../workflows/activities/polling/polling.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { createStage, type Stage } from '../api/stage.ts'

/** The interface over HTTP, one integration of a simulated PSP, and polls of it on demand. */
export async function openScene(subject: Subject, replaced: Partial<ActivityDeps> = {}) {
  const { definition, simulator, notificationSecret } = subject
  const running = await startSimulator(simulator)
  const baseUrls = { [definition.source]: running.url }
  const stage: Stage = await createStage({ baseUrls, rotationSeconds: 3, dispatch: (outboxId) => dispatch(outboxId) })
  const server = serve({ fetch: stage.app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const account = simulator.profile.homeAccount

  async function integrate(externalIdentifier = account): Promise<{ integrationId: string; url: string }> {
    const { integrationId } = await createIntegration(stage.db, stage.ring, {
      merchantUuid: stage.merchantUuid,
      source: definition.source,
      integrationName: definition.displayName,
      externalIdentifier,
      secretType: simulator.secretType,
      secretPayload: {
        ...(notificationSecret && { [notificationSecret]: simulator.profile.notificationSecret }),
        ...(simulator.homeSecretPayload ?? simulator.secretPayload),
      },
    })
    await recordVerdict(stage.db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: externalIdentifier })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/notifications/${integrationId}`
    return { integrationId, url }
  }
  const activities = createActivities({
    db: stage.db,
    ring: stage.ring,
    files: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls,
    polling: { intervalSeconds: 60, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
    ...replaced,
  })
  const run = (activity: unknown, input: unknown) =>
    new MockActivityEnvironment().run(activity as (input: unknown) => Promise<unknown>, input)
  /** A worker at work: what asks for the check of a new secret is done at once. */
  async function dispatch(outboxId: bigint): Promise<void> {
    const row = await stage.db.selectFrom('outbox').selectAll().where('outbox_id', '=', outboxId).executeTakeFirst()
    if (row?.kind === 'rotate_secret') await run(activities.rotateSecret, row.payload).catch(() => undefined)
  }
  return {
    stage,
    integrate,
    rotate: (rotationId: string) => run(activities.rotateSecret, { rotationId }) as Promise<{ outcome: string }>,
    /** What the reconciler erases when its time has come. */
    sweep: () => sweepRotations(stage.db),
    calls: () => running.engine.ledger.calls,
    async control(path: string, body: unknown, method = 'POST') {
      const answer = await fetch(`${running.controlUrl}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return (await answer.json()) as {
        disputes: { ref: string }[]
        deliveries: { status: number }[]
        id: string
        held: unknown[]
      }
    },
    idle: () => running.engine.subscriptions.idle(),
    poll: (integrationId: string) => run(activities.ingestPages, { integrationId }) as Promise<SliceResult>,
    chargebacks: (integrationId: string) =>
      stage.db
        .selectFrom('chargeback')
        .select(['chargeback_id', 'psp_status'])
        .where('integration_id', '=', integrationId)
        .orderBy('chargeback_id')
        .execute(),
    stored: (integrationId: string) =>
      stage.db.selectFrom('notification').selectAll().where('integration_id', '=', integrationId).execute(),
    async [Symbol.asyncDispose]() {
      server.close()
      await running[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}
