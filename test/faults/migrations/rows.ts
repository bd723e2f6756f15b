import { sql } from 'kysely'
import type { Database } from '../../../db/core/connect.ts'

/**
 * Inserts a merchant with `rows` chargebacks, PSP objects, timeline events, commands and dry runs each, and as many
 * files without content for a hundred accounts.
 */
export async function fill(db: Database, rows: number): Promise<void> {
  const many = sql`generate_series(1, ${sql.lit(rows)}) n`
  const id = (kind: number) => sql`('00000000-0000-7000-800' || ${sql.lit(kind)} || lpad(n::text, 12, '0'))::uuid`
  const statements = [
    sql`insert into account (account_id, name) values ('00000000-0000-7000-8000-000000000001', 'A')`,
    sql`insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
      values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'm', 'M', 'https://m', '-')`,
    sql`insert into account (account_id, name)
      select ('00000000-0000-7000-8005-' || lpad(n::text, 12, '0'))::uuid, 'B' from generate_series(0, 99) n`,
    sql`insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
      select account_id, account_id, 'm', 'M', 'https://m', '-' from account where name = 'B'`,
    sql`insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier, secret_type,
        secret_sealed) values ('00000000-0000-7000-8000-000000000003', '00000000-0000-7000-8000-000000000002', 'stripe',
        'S', 'a', 'APIKEY_ONLY', '-')`,
    sql`insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
        amount_exponent, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at,
        translation_version)
      select ${id(1)}, '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000003', 'du_' || n, 'stripe',
        'USD', n, 2, 'lost', 'not_represented', '-', 'chargeback', 'fraud', '', now(), 1 from ${many}`,
    sql`insert into raw_object (integration_id, kind, reference, sealed)
      select '00000000-0000-7000-8000-000000000003', 'dispute', 'du_' || n, repeat('x', 500) from ${many}`,
    sql`insert into timeline_event (merchant_uuid, chargeback_id, source, what)
      select '00000000-0000-7000-8000-000000000002', ${id(1)}, 'polling', 'created' from ${many}`,
    sql`insert into command (command_id, kind, merchant_uuid, chargeback_id, round, deadline, status, source, psp_account,
        reference)
      select ${id(2)}, 'acceptance', '00000000-0000-7000-8000-000000000002', ${id(1)}, 1, now(), 'succeeded', 'stripe', 'a',
        'du_' || n from ${many}`,
    sql`insert into evidence_plan (plan_id, merchant_uuid, chargeback_id, file_id)
      select ${id(4)}, '00000000-0000-7000-8000-000000000002', ${id(1)}, ${id(3)} from ${many}`,
    sql`insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, name_sealed, content_sealed)
      select ${id(3)}, ('00000000-0000-7000-8005-' || lpad((n % 100)::text, 12, '0'))::uuid, 'evidence_file', 'application/pdf', 1, '', '-', '' from ${many}`,
    sql`analyze`,
  ]
  for (const statement of statements) await statement.execute(db)
}
