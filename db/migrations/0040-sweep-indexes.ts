import type { Kysely } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

const OPEN = `status in ('waiting_for_data', 'building_evidence') and psp_status = 'needs_response' and merged_into is null`

/** Indexes for sweeps, so that each reads what is due: docs/decisions/0048. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(
    db,
    'chargeback_due',
    `chargeback (due_date, id) include (psp)
      where status in ('waiting_for_data', 'building_evidence') and merged_into is null`,
  )
  await indexConcurrently(
    db,
    'chargeback_building',
    `chargeback (merchant_uuid, due_date, id) where status = 'building_evidence' and merged_into is null`,
  )
  await indexConcurrently(
    db,
    'chargeback_unreminded',
    `chargeback (due_date, id) include (psp) where ${OPEN} and reminded_due_date is distinct from due_date`,
  )
  await indexConcurrently(
    db,
    'chargeback_reminded',
    `chargeback (reminded_hours, due_date, id) include (psp) where ${OPEN} and reminded_due_date = due_date`,
  )
  await indexConcurrently(
    db,
    'evidence_package_sent',
    `evidence_package (package_id) where state in ('frozen', 'erased') and file_id is not null`,
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
