import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, type Database } from '../../../db/core/connect.ts'
import { expireRows } from '../../../db/retention/retention.ts'
import { byOwner } from '../../harness/database.ts'
import { setScope, watchStatements } from '../../harness/statements.ts'
import { addEvidenceFile, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

/** So many rows that reading all of a table costs more than any index. */
async function fill(tx: Database): Promise<void> {
  // Filling the tables may take longer than the product allows one of its statements.
  await sql`set local statement_timeout = 0`.execute(tx)
  const many = sql`generate_series(1, 5000) n`
  const { integrationId, merchantUuid } = at
  await sql`insert into raw_object (integration_id, kind, reference, sealed)
    select ${integrationId}, 'dispute', 'filler-' || n, '' from ${many}`.execute(tx)
  await sql`insert into quarantine (integration_id, hash, reference, reason, sealed, translation_version)
    select ${integrationId}, sha256(n::text::bytea), 'filler-' || n, 'bad', '', 1 from ${many}`.execute(tx)
  await sql`insert into notification (integration_id, notification_id, type, "references", sealed)
    select ${integrationId}, 'filler-' || n, 'hint', array['filler-' || n], '' from ${many}`.execute(tx)
  await sql`insert into ingestion (ingestion_id, merchant_uuid, integration_id, credential_id, data_source,
      data_source_version, data_type, reference, about, request_timestamp, status, processed_at)
    select gen_random_uuid(), ${merchantUuid}, ${integrationId}, gen_random_uuid(), 'stripe', '1', 'refund', 'filler-' || n,
      array['filler-' || n], now(), 'applied', now() from ${many}`.execute(tx)
  await sql`insert into list_page (integration_id, page_key, fingerprint, translation_version, objects, next, object_hashes)
    select ${integrationId}, 'filler-' || n, '', 1, 1, '{}', '{}' from ${many}`.execute(tx)
  await sql`insert into webhook_delivery (endpoint_id, event_id, type, created_at)
    select gen_random_uuid(), gen_random_uuid(), 'chargeback.updated', now() - interval '31 days' from ${many}`.execute(
    tx,
  )
  await sql`insert into request_count (key, points, expire) select 'filler-' || n, 1, 1 from ${many}`.execute(tx)
  await sql`insert into idempotency_key (credential_id, key, request_hash, expires_at)
    select gen_random_uuid(), 'filler', '', now() from ${many}`.execute(tx)
  await sql`insert into console_session (session_hash, credential_id, kid, created_at, seen_at, ends_at)
    select sha256(n::text::bytea), (select credential_id from credential limit 1),
      (select kid from signing_key limit 1), now(), now(), now() from ${many}`.execute(tx)
  await sql`insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, erased_at)
    select gen_random_uuid(), ${merchantUuid}, 'evidence_file', 'application/pdf', 1, '', now() from ${many}`.execute(
    tx,
  )
  await sql`insert into transaction_record (transaction_record_id, merchant_uuid, transaction_id, sealed)
    select gen_random_uuid(), ${merchantUuid}, 'filler-' || n, '' from ${many}`.execute(tx)
  await sql`insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
      amount_exponent, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at,
      translation_version)
    select gen_random_uuid(), ${merchantUuid}, ${integrationId}, 'filler-' || n, 'stripe', 'USD', 1, 2, 'lost',
      'not_represented', '-', 'chargeback', 'fraud', '', now(), 1 from ${many}`.execute(tx)
  await sql`insert into command (command_id, kind, merchant_uuid, chargeback_id, round, deadline, source, psp_account,
      reference, status)
    select id, 'evidence_submission', merchant_uuid, id, 1, now(), 'stripe', '?', chargeback_id, 'succeeded'
    from chargeback where chargeback_id like 'filler-%'`.execute(tx)
  await sql`insert into evidence_submission (command_id, file_id)
    select command_id, gen_random_uuid() from command where reference like 'filler-%'`.execute(tx)
  await sql`insert into evidence_plan (plan_id, merchant_uuid, chargeback_id, file_id)
    select gen_random_uuid(), merchant_uuid, id, gen_random_uuid() from chargeback`.execute(tx)
  await sql`insert into evidence_package (package_id, merchant_uuid, chargeback_id, round, version, state, digest, file_id,
      play, playbook_version, completeness, required_missing, kept, manual_only, contradicted)
    select gen_random_uuid(), merchant_uuid, id, 1, 1, 'current', '', gen_random_uuid(), 'general', 1, 1, 0, '{}', false,
      false from chargeback`.execute(tx)
}

it('finding 5: no step of a sweep reads a whole table', async () => {
  const statements: { text: string; values: unknown[] }[] = []
  const db = connect(stage.database.url, { scope: 'system', max: 1 })
  watchStatements(db.pool, (text, values) => {
    if (/^(select|with|delete|update)/.test(text.trim())) statements.push({ text, values })
  })
  await addEvidenceFile(stage, stage.merchantUuid)
  await expireRows(db, [], 10)
  await db.destroy()
  await stage.db.transaction().execute(fill)
  await byOwner(stage.database.url, sql`analyze`)
  const client = new pg.Client(stage.database.url)
  await client.connect()
  await setScope(client, 'system')
  const plans: string[] = []
  for (const { text, values } of statements) {
    const { rows } = await client.query(`explain ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  await client.end()
  expect(plans.length).toBeGreaterThan(8)
  // Accounts, merchants, integrations and sweeps are few.
  expect(
    plans.filter((plan) => /Seq Scan on (?!account|merchant|integration|reread|retention_sweep)\w/.test(plan)),
  ).toEqual([])
})

it('every table is in the list of decision 38, with what deletes its rows', async () => {
  const page = readFileSync('docs/decisions/0038-which-tables-grow.md', 'utf8')
  const listed = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'`.execute(stage.db)
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})
