import { v7 } from 'uuid'
import type { Inbox, StoredNotification } from '../../adapters/contract.ts'
import { notificationsAbout, notificationsAfter, type SealedNotification, storeNote } from '../../db/notifications.ts'
import { open, seal, sealContext } from '../../db/seal.ts'
import type { ActivityDeps } from './deps.ts'

/** The stored notifications of one integration as an adapter without a list reads them, unsealed in memory only. */
export function openInbox({ db, ring }: Pick<ActivityDeps, 'db' | 'ring'>, integrationId: string): Inbox {
  const context = sealContext.rawObject(integrationId)
  const unsealed = ({ position, receivedAt, sealed }: SealedNotification): StoredNotification => ({
    position: String(position),
    receivedAt,
    body: open(ring, sealed, context),
  })
  return {
    async read(after, limit) {
      const rows = await notificationsAfter(db, integrationId, after === null ? null : BigInt(after), limit)
      return rows.map(unsealed)
    },
    async about(reference) {
      return (await notificationsAbout(db, integrationId, reference)).map(unsealed)
    },
    note: (reference, body) =>
      storeNote(db, {
        integrationId,
        notificationId: `note:${v7()}`,
        type: 'recoup.note',
        references: [reference],
        sealed: seal(ring, body, context),
      }),
  }
}
