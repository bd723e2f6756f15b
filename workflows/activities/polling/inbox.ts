import { v7 } from 'uuid'
import type { Inbox, StoredNotification } from '../../../adapters/contract.ts'
import { open, sealContext } from '../../../db/core/seal.ts'
import {
  NOTE_TYPE,
  notificationsAbout,
  notificationsAboutAll,
  notificationsAfter,
  type SealedNotification,
  storeNote,
} from '../../../db/polling/notifications.ts'
import type { ActivityDeps } from '../deps.ts'

/** The stored notifications of one integration for an adapter without a list, decrypted in memory only. */
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
    async aboutAll(references) {
      const found = new Map<string, StoredNotification[]>()
      for (const { references: named, ...row } of await notificationsAboutAll(db, integrationId, references)) {
        const notification = unsealed(row)
        for (const reference of named) found.set(reference, [...(found.get(reference) ?? []), notification])
      }
      return found
    },
    note: (reference, body) =>
      storeNote(db, ring, {
        integrationId,
        notificationId: `note:${v7()}`,
        type: NOTE_TYPE,
        references: [reference],
        body,
      }),
  }
}
