import type { EventType } from '../../domain/events/catalogue.ts'
import type { Database } from '../core/connect.ts'

/** An event about something that has no timeline. */
export interface EventLine {
  merchantUuid: string
  type: EventType
  /** Id of the alert, integration, merchant or removal. */
  subject: string
}

/** Adds an event. Call it in the transaction of the change. */
export async function addEvent(db: Database, { merchantUuid, type, subject }: EventLine): Promise<void> {
  await db.insertInto('event_line').values({ merchant_uuid: merchantUuid, type, subject }).execute()
}
