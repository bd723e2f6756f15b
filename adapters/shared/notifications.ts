/** Notifications that the engine verified and stored, for PSPs without a list. Append-only; replays are stored once. */
export interface Inbox {
  /** Oldest first, after `after`. Returns no position while an earlier one may still appear. */
  read(after: string | null, limit: number): Promise<StoredNotification[]>
  /** All stored notifications whose `readNotification` named `reference` (a dispute or a payment), oldest first. */
  about(reference: string): Promise<StoredNotification[]>
  /** The same for many references, in one round trip; references without notifications are omitted. */
  aboutAll(references: readonly string[]): Promise<ReadonlyMap<string, StoredNotification[]>>
  /** Stores an adapter's own mark about a dispute; `about` and `read` return it with the notifications. */
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
