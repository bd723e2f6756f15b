import { sql } from 'kysely'
import type { Database } from '../../db/core/connect.ts'

const COLUMNS =
  sql.raw(`chargeback_id, psp, psp_account, currency, amount_minor, amount_exponent, posting_date, due_date, psp_status,
  psp_status_change_date, status, status_reason, lifecycle_stage, round, reason_group, content_hash, read_at, translation_version`)

/** Adds a second chargeback of the same dispute, as in databases from before accounts were claimed. @returns its id */
export async function copyOf(
  db: Database,
  id: string,
  to: { merchantUuid: string; integrationId: string },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into chargeback (${COLUMNS}, id, merchant_uuid, integration_id)
    select ${COLUMNS}, gen_random_uuid(), ${to.merchantUuid}, ${to.integrationId} from chargeback where id = ${id}
    returning id`.execute(db)
  return rows[0]?.id ?? ''
}
