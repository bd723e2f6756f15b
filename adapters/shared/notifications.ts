/** Notifications that the engine verified and stored, for PSPs without a list. Append-only; replays are stored once. */
export interface Inbox {
  /** Oldest first, from behind `after` on. Hands out no position while an earlier one may still appear. */
  read(after: string | null, limit: number): Promise<StoredNotification[]>
  /** Everything stored whose `readNotification` named `reference` (a dispute or a payment), oldest first. */
  about(reference: string): Promise<StoredNotification[]>
  /** The same for many at once, in one round trip; a reference that nothing named is left out. */
  aboutAll(references: readonly string[]): Promise<ReadonlyMap<string, StoredNotification[]>>
  /** Keeps a mark of the adapter's own about a dispute beside its notifications: `about` and `read` give it too. */
  note?(reference: string, body: string): Promise<void>
}

export interface StoredNotification {
  /** Opaque, ordered as stored. */
  position: string
  receivedAt: Date
  /** One notification as the PSP sent it. */
  body: string
}

export interface NotificationRequest {
  body: string
  headers: Readonly<Record<string, string | undefined>>
}

export interface NotificationEnvelope {
  /** The PSP's id of the delivery: replays carry the same. */
  id: string
  type: string
  body: string
}
