import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RETAINED } from '../../../db/retention/retained.ts'
import { expireRows } from '../../../db/retention/retention.ts'
import { type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const LONG_AGO = sql`now() - interval '20 years'`
const TABLES = [...Object.keys(RETAINED), 'idempotency_key']

/** Inserts that many expired rows, by table. */
const INSERTS: Record<string, (count: number) => ReturnType<typeof sql>> = {
  file: (count) => sql`insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, md5, name_sealed,
      content_sealed, created_at)
    select gen_random_uuid(), ${at.merchantUuid}, 'evidence_file', 'application/pdf', 1, '', '', '', '', ${LONG_AGO}
    from generate_series(1, ${count}::int)`,
  raw_object: (count) => sql`
    with closed as (insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
        amount_exponent, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at,
        translation_version, psp_status_change_date, created_at)
      select gen_random_uuid(), ${at.merchantUuid}, ${at.integrationId}, 'du_' || n, 'stripe', 'USD', 1, 2, 'lost',
        'not_represented', '-', 'chargeback', 'fraud', '', now(), 1, ${LONG_AGO}, ${LONG_AGO}
      from generate_series(1, ${count}::int) n returning chargeback_id)
    insert into raw_object (integration_id, kind, reference, sealed, fetched_at)
    select ${at.integrationId}, 'dispute', chargeback_id, '', ${LONG_AGO} from closed`,
  evidence_package: (count) => sql`
    with closed as (insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
        amount_exponent, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at,
        translation_version, psp_status_change_date, created_at)
      select gen_random_uuid(), ${at.merchantUuid}, ${at.integrationId}, 'packed_' || n, 'stripe', 'USD', 1, 2, 'lost',
        'not_represented', '-', 'chargeback', 'fraud', '', now(), 1, ${LONG_AGO}, ${LONG_AGO}
      from generate_series(1, ${count}::int) n returning id)
    insert into evidence_package (package_id, merchant_uuid, chargeback_id, round, version, state, digest, play,
      playbook_version, completeness, required_missing, kept, manual_only, contradicted)
    select gen_random_uuid(), ${at.merchantUuid}, id, 1, 1, 'current', '', 'general', 1, 1, 0, '{}', false, false
    from closed`,
  evidence_plan: (count) => sql`
    insert into evidence_plan (plan_id, merchant_uuid, chargeback_id, file_id, requested_at)
    select gen_random_uuid(), ${at.merchantUuid}, (select id from chargeback limit 1), gen_random_uuid(), ${LONG_AGO}
    from generate_series(1, ${count}::int)`,
  notification: (count) => sql`
    insert into notification (integration_id, notification_id, type, "references", sealed, received_at)
    select ${at.integrationId}, 'evt_' || n, 'charge.dispute', array['du_x'], '', ${LONG_AGO}
    from generate_series(1, ${count}::int) n`,
  ingestion: (count) => sql`insert into ingestion (ingestion_id, merchant_uuid, integration_id, credential_id,
      data_source, data_source_version, data_type, reference, about, request_timestamp, status, processed_at)
    select gen_random_uuid(), ${at.merchantUuid}, ${at.integrationId}, gen_random_uuid(), 'stripe', '1', 'refund', 'r' || n,
      '{}', now(), 'applied', ${LONG_AGO} from generate_series(1, ${count}::int) n`,
  request_count: (count) => sql`
    insert into request_count (key, points, expire) select 'k' || n, 1, 1 from generate_series(1, ${count}::int) n`,
  console_session: (count) => sql`
    insert into console_session (session_hash, credential_id, kid, created_at, seen_at, ends_at)
    select sha256(n::text::bytea), credential_id, kid, ${LONG_AGO}, ${LONG_AGO}, ${LONG_AGO}
    from generate_series(1, ${count}::int) n, (select credential_id from credential limit 1) c,
      (select kid from signing_key limit 1) k`,
  webhook_delivery: (count) => sql`insert into webhook_delivery (endpoint_id, event_id, type, created_at)
    select gen_random_uuid(), gen_random_uuid(), 'webhook.test', ${LONG_AGO} from generate_series(1, ${count}::int)`,
  list_page: (count) => sql`insert into list_page (integration_id, page_key, fingerprint, translation_version, objects,
      next, object_hashes, stored_at)
    select ${at.integrationId}, 'p' || n, '', 1, 0, '{}', '{}', ${LONG_AGO} from generate_series(1, ${count}::int) n`,
  quarantine: (count) => sql`
    insert into quarantine (integration_id, hash, reason, sealed, translation_version, last_seen_at)
    select ${at.integrationId}, sha256(n::text::bytea), 'bad', '', 1, ${LONG_AGO} from generate_series(1, ${count}::int) n`,
  idempotency_key: (count) => sql`insert into idempotency_key (credential_id, key, request_hash, expires_at)
    select gen_random_uuid(), 'k', '', ${LONG_AGO} from generate_series(1, ${count}::int)`,
}

/** Rows of each table that can expire. */
async function rows(): Promise<Record<string, number>> {
  const counted = TABLES.map(
    (table) => sql`select ${sql.lit(table)} as name, count(*)::int as n from ${sql.table(table)}`,
  )
  const found = await sql<{ name: string; n: number }>`${sql.join(counted, sql` union all `)}`.execute(stage.db)
  return Object.fromEntries(found.rows.map(({ name, n }) => [name, n]))
}

it('finding 5: a step deletes no more rows of a kind than its limit, and the next step continues', async () => {
  for (const insert of Object.values(INSERTS)) await insert(9).execute(stage.db)
  const left = (n: number, keys: number) => ({
    ...Object.fromEntries(TABLES.map((kind) => [kind, n])),
    idempotency_key: keys,
  })
  expect(await rows()).toEqual(left(9, 9))
  // Idempotency keys are small: four times as many.
  expect(await expireRows(stage.db, [], 1)).toBe(TABLES.length - 1 + 4)
  expect(await rows()).toEqual(left(8, 5))
  await expireRows(stage.db, [], 2)
  expect(await rows()).toEqual(left(6, 0))
  await expireRows(stage.db, [], 500)
  expect(await rows()).toEqual(left(0, 0))
})

it('finding 5: a step reads at most a hundred files, because each may have 6 MB', async () => {
  await sql`delete from retention_sweep`.execute(stage.db)
  await INSERTS.file?.(101).execute(stage.db)
  expect(await expireRows(stage.db, [], 500)).toBe(100)
  expect(await expireRows(stage.db, [], 500)).toBe(1)
})
