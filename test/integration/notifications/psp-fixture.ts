import type { Subject } from '../../../adapters/conformance/subject.ts'
import { sweepRotations } from '../../../db/integrations/secret-rotations.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import type { SliceResult } from '../../../workflows/activities/polling/polling.ts'
import { openInProcess } from '../../harness/in-process.ts'

/** The in-process world for notifications and new secrets: polls run on demand, and a new secret is checked at once. */
export async function openFixture(subject: Subject, replaced: Partial<ActivityDeps> = {}) {
  const world = await openInProcess(subject, {
    api: { rotationSeconds: 3, dispatch: (outboxId) => dispatch(outboxId) },
    activities: replaced,
  })
  const { stage, activities } = world
  const run = (activity: unknown, input: unknown) => world.run(activity as (input: unknown) => Promise<unknown>, input)
  /** Replaces the worker: runs the check of a new secret at once. */
  async function dispatch(outboxId: bigint): Promise<void> {
    const row = await stage.db.selectFrom('outbox').selectAll().where('outbox_id', '=', outboxId).executeTakeFirst()
    if (row?.kind === 'rotate_secret') await run(activities.rotateSecret, row.payload).catch(() => undefined)
  }
  return {
    stage,
    async integrate(externalIdentifier = world.account): Promise<{ integrationId: string; url: string }> {
      const integrationId = await world.connect({ externalIdentifier }, externalIdentifier)
      return { integrationId, url: world.notificationUrl(integrationId) }
    },
    rotate: (rotationId: string) => run(activities.rotateSecret, { rotationId }) as Promise<{ outcome: string }>,
    /** Erases expired secrets, like the reconciler. */
    sweep: () => sweepRotations(stage.db),
    calls: () => world.engine.ledger.calls,
    control: async (
      path: string,
      body: unknown,
      method = 'POST',
    ): Promise<{
      disputes: { ref: string }[]
      deliveries: { status: number }[]
      id: string
      held: unknown[]
    }> => world.control(method, path, body),
    idle: () => world.engine.subscriptions.idle(),
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
    [Symbol.asyncDispose]: world[Symbol.asyncDispose],
  }
}
