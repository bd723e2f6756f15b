import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** Settings whose changes have no trail of their own. */
export type SettingChange =
  | 'integration connected'
  | 'integration renamed'
  | 'polls paused'
  | 'polls resumed'
  | 'integration deactivation requested'
  | 'merchant deactivation requested'
  | 'automatic submission changed'

export interface SettingEvent {
  merchantUuid: string
  credentialId: string
  what: SettingChange
  /** The integration. Absent: the merchant itself. */
  subject?: string
  /** Settings and their values. No names of people, addresses or other free text: an erasure does not search here. */
  details?: object
}

/** Records who changed what. Call it in the transaction of the change. */
export async function recordSetting(trx: Database, event: SettingEvent): Promise<void> {
  const { merchantUuid, credentialId, what, subject = null, details = {} } = event
  await sql`
    insert into setting_event (merchant_uuid, credential_id, what, subject, details)
    values (${merchantUuid}, ${credentialId}, ${what}, ${subject}, ${JSON.stringify(details)}::jsonb)`.execute(trx)
}
