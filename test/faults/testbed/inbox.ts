import type { NotificationEnvelope } from '../../../adapters/contract.ts'
import { adapterFor } from '../../../adapters/registry.ts'
import type { Database } from '../../../db/core/connect.ts'
import { sealTexts } from '../../../db/erasure/kept-texts.ts'
import { storeNotification } from '../../../db/polling/notifications.ts'
import { type Connected, secretOf } from './connected.ts'
import type { Testbed } from './prepare.ts'
import { simulated } from './psps.ts'

type Notification = NotificationEnvelope & { references: string[] }

/** The PSP's notifications about its disputes, in its order, as the receiver reads them. */
async function notificationsOf({ engines }: Testbed, { adapter, account }: Connected): Promise<Notification[]> {
  const engine = engines[adapter]
  const definition = adapterFor(adapter, simulated(adapter).definition.secretType)
  const connected = definition?.connect({
    ...{ secret: secretOf(adapter, account), externalIdentifier: account, merchantAccountCodes: [] },
    ...{ pspAccount: account, baseUrl: null, environment: 'sandbox', fetch, now: () => new Date() },
  })
  // Not every PSP's body can be read before it is verified.
  const namedBy = (envelope: NotificationEnvelope): string[] => {
    try {
      return connected?.readNotification?.(envelope).references ?? []
    } catch {
      return []
    }
  }
  const events = engine.account(account).events.all()
  return Promise.all(
    events
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(async (event) => {
        const { id, type, reference } = event
        const secret = engine.signingSecretOf(account)
        const made = engine.profile.notification(engine, event, secret, Math.floor(Date.now() / 1000))
        // With the id that its delivery would have.
        const verified = adapter === 'adyen' ? await connected?.verifyNotification?.(made) : undefined
        const envelope = verified ?? { id, type, body: made.body }
        return { ...envelope, references: [...new Set([...namedBy(envelope), reference])] }
      }),
  )
}

/** Stores everything that would have been delivered to an inbox by now. */
export async function fillInbox(testbed: Testbed, trx: Database, connected: Connected): Promise<void> {
  const { integrationId } = connected
  const notifications = await notificationsOf(testbed, connected)
  const asked = notifications.map(({ references, body }) => ({ references, text: body }))
  const kept = await sealTexts(trx, testbed.stack.ring, integrationId, asked)
  const rows = notifications.map(({ id, type, references }, index) => ({
    ...{ integration_id: integrationId, notification_id: id, type, references },
    ...(kept[index] as (typeof kept)[number]),
  }))
  await trx.insertInto('notification').values(rows).execute()
}

/** Stores the PSP's notifications about these disputes again, as separate deliveries. */
export async function tellAgain(testbed: Testbed, connected: Connected, disputes: ReadonlySet<string>): Promise<void> {
  const { adapter, integrationId } = connected
  const { db, ring } = testbed.stack
  const { secretType } = simulated(adapter).definition
  const reread = adapterFor(adapter, secretType)?.capabilities.listing !== 'inbox'
  for (const { id, ...rest } of await notificationsOf(testbed, connected))
    if (rest.references.some((reference) => disputes.has(reference)))
      await storeNotification(db, ring, { integrationId, notificationId: `${id} again`, ...rest }, { reread })
}
