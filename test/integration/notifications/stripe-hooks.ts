import { randomUUID } from 'node:crypto'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import type { Stack } from '../../harness/stack.ts'

/** The signing secret of the simulated Stripe's endpoints. */
export const webhookSecret = stripeSimulator.profile.notificationSecret

/** An integration with its own PSP account that receives notifications, its URL, and deliveries of the simulator. */
export async function listeningIntegration(
  stack: Stack,
  account = `acct_${randomUUID().slice(0, 12).replace('-', '')}`,
) {
  const integrationId = await stack.connectStripe({
    externalIdentifier: account,
    secretPayload: { ...stripeSimulator.secretPayload, webhookSecret },
  })
  const url = `${stack.apis[0]?.url}/v1/notifications/${integrationId}`
  return {
    account,
    integrationId,
    url,
    /** Makes the simulator deliver. @returns the HTTP statuses of the responses */
    async deliver(order: Record<string, unknown>, to = url): Promise<number[]> {
      const { body } = await stack.control('POST', '/notifications', { url: to, account, ...order })
      return body.deliveries.map((one: { status: number }) => one.status)
    },
    async create(order: Record<string, unknown> = {}): Promise<string> {
      const { body } = await stack.control('POST', '/disputes', { account, status: 'needs_response', ...order })
      return body.disputes[0].ref
    },
    row: () =>
      stack.db
        .selectFrom('integration')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .executeTakeFirstOrThrow(),
    stored: () =>
      stack.db
        .selectFrom('notification')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .orderBy('position')
        .execute(),
    rereads: () => stack.db.selectFrom('reread').selectAll().where('integration_id', '=', integrationId).execute(),
  }
}
