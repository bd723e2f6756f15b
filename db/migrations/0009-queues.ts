import { type Kysely, sql } from 'kysely'

/**
 * Indexes for the order of waiting work: sorting the whole list for every slice would cost quadratic time. And the time
 * when the reconciler last checked an unverified integration, so that it checks all of them in turn.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index chargeback_enrichment_order on chargeback
      (integration_id, (psp_status = 'needs_response') desc, due_date, id, context_after) where context_at is null;
    create index chargeback_by_psp on chargeback (merchant_uuid, psp, posting_sort desc, id desc);
    create index quarantine_of_reference on quarantine (integration_id, reference) where reference is not null;
    alter table integration add column looked_at timestamptz;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
