import type pg from 'pg'
import { BUILD_VERSION } from '../../domain/evidence/package/build-version.ts'

/** Rows of the tables that grow with use. They determine the size of the others. */
export interface Size {
  chargebacks: number
  transactions: number
  integrations: number
  merchants: number
}

export const ACCOUNTS = 100

/** Ids of the rows by number, in the order of creation, as UUIDs of version 7. */
const id = (kind: keyof typeof KINDS, n: string) =>
  `('01900000-0000-7000-800${KINDS[kind]}-' || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`
const KINDS = { account: 0, merchant: 1, integration: 2, chargeback: 3, transaction: 4, command: 5, file: 6, other: 7 }
export const idOf = (kind: keyof typeof KINDS, n: number) =>
  `01900000-0000-7000-800${KINDS[kind]}-${n.toString(16).padStart(12, '0')}`

const series = (count: number) => `generate_series(1, ${count}) n`
/** Time `n` of `count`, the last one now: three years of use. */
const spread = (count: number) => `now() - interval '3 years' * (1 - n::float8 / ${count})`

/**
 * The statements that fill an empty, migrated database. Half of the chargebacks and transactions belong to merchant 1, four
 * fifths of those to integration 1. One in thirty chargebacks is open, one in two hundred waits for data. Of what the sweeps look
 * for, they have left a few.
 */
function statements({ chargebacks, transactions, integrations, merchants }: Size): string[] {
  // Numbers of the merchant and of the integration that row n belongs to.
  const merchant = `case when n % 2 = 0 then 1 else 2 + (n / 2) % ${merchants - 1} end`
  const integration = `case when n % 2 = 1 then 2 + (n / 2) % ${integrations - 1} when n % 10 < 8 then 1
    else 1 + ${merchants} * (n / 10 % ${Math.floor(integrations / merchants)}) end`
  // An odd row's merchant is that of its integration.
  const owner = `case when n % 2 = 0 then 1 else (1 + (n / 2) % ${integrations - 1}) % ${merchants} + 1 end`
  const open = 'n % 31 = 1 or n % 31 = 4'
  // Receivers have failed for two days: half of what was to be sent in that time waits.
  const waits = `n % 2 = 0 and n % 20 <> 2 and n > ${(0.93 * chargebacks) / 10}`
  const reminded = 'n % 31 = 1 and n % 700 < 80 and n % 997 > 0'
  const commands = Math.floor(chargebacks / 10)
  const files = Math.floor(chargebacks / 100)
  // Rows of queues and changes of settings: their number doesn't depend on how many chargebacks are stored.
  const few = Math.min(files, 10_000)
  return [
    `insert into account (account_id, name) select ${id('account', 'n')}, 'A' || n from ${series(ACCOUNTS)}`,
    `insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed,
        automatic_submission)
      select ${id('merchant', 'n')}, ${id('account', `1 + n % ${ACCOUNTS}`)}, 'shop-' || n, 'M', 'https://m.example.com', '-',
        case when n % 10 = 1 then '{"mode": "auto"}'::jsonb end from ${series(merchants)}`,
    `insert into credential (credential_id, account_id, scope, merchant_uuid, expires_at, name, role)
      select ${id('other', 'n')}, ${id('account', `1 + n % ${ACCOUNTS}`)}, 'merchant', ${id('merchant', 'n')},
        now() + interval '1 year', 'C', 'manage' from ${series(merchants)}`,
    `insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier, secret_type,
        secret_sealed, status, verified_at, polled_at, last_successful_poll_at, psp_account, claimed_account)
      select ${id('integration', 'n')}, ${id('merchant', `(n - 1) % ${merchants} + 1`)}, 'stripe', 'S', 'acct_' || n,
        'APIKEY_ONLY', '-', case when n % 100 = 0 then 'FAILED' when n % 50 = 1 and n > 1 then 'INACTIVE' else 'SUCCESSFUL' end,
        now(), now(), now(), 'acct_' || n, 'acct_' || n from ${series(integrations)}`,
    `insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, psp_account, currency, amount_minor,
        amount_exponent, posting_date, transaction_created_date, due_date, psp_status, psp_status_change_date, status,
        status_reason, lifecycle_stage, transaction_id, arn, reason_code, reason, reason_group, card_scheme, bin,
        card_last_four_digits, data_points, enrichment_ratio, is_enriched, context_at, answered, content_hash, read_at,
        translation_version, reread_after, created_at, updated_at, package_wanted_at, package_at, package_build,
        package_again_at, reminded_due_date, reminded_hours)
      select ${id('chargeback', 'n')}, ${id('merchant', owner)}, ${id('integration', integration)}, 'du_' || n, 'stripe',
        'acct_' || ${integration}, 'USD', n % 100000, 2, at, at - interval '30 days',
        case when ${open} then now() + interval '1 hour' * (n % 700) else at + interval '20 days' end,
        case when n % 31 = 1 then 'needs_response' when n % 31 = 4 then 'under_review' when n % 3 = 0 then 'won' else 'lost' end,
        at, case when n % 186 = 1 then 'waiting_for_data' when n % 31 = 1 then 'building_evidence'
          when n % 31 = 4 then 'pending_psp_results' else 'not_represented' end,
        'The issuer decided.', 'chargeback', 'ch_' || n, 'arn' || n, (n % 40)::text, 'fraudulent', 'fraud',
        case when n % 3 = 0 then 'mastercard' else 'visa' end, '424242', lpad((n % 10000)::text, 4, '0'),
        '{transactionId,arn,bin,cardLastFourDigits}', n % 11 / 10.0, n % 2 = 0, case when n % 300 <> 2 then at end, n % 3 = 0,
        decode(md5(n::text), 'hex'), at, 3, case when n % 31 = 4 then now() + interval '1 minute' * (n % 10000 - 10) end,
        at, at, case when n % 31 = 1 then at end, case when n % 31 = 1 and n % 59 > 0 then at end,
        case when n % 61 > 0 then ${BUILD_VERSION} end,
        case when n % 31 = 1 and n % 7 = 0 then now() + interval '1 minute' * (n % 10000 - 10) end,
        case when ${reminded} then now() + interval '1 hour' * (n % 700) end,
        case when ${reminded} then case when n % 700 < 36 then 24 else 72 end end
      from (select n, ${spread(chargebacks)} as at from ${series(chargebacks)}) rows`,
    `insert into raw_object (integration_id, kind, reference, sealed, fetched_at)
      select ${id('integration', integration)}, 'dispute', 'du_' || n, repeat('x', 200), ${spread(chargebacks)}
      from ${series(chargebacks)}`,
    `insert into timeline_event (merchant_uuid, chargeback_id, source, what, "when")
      select ${id('merchant', owner)}, ${id('chargeback', 'n')}, 'stripe', 'ingested', ${spread(chargebacks)}
      from ${series(chargebacks)}`,
    `insert into transaction_record (transaction_record_id, merchant_uuid, transaction_id, arn, bin, card_last_four_digits,
        transaction_created_date, data_points, sealed, persons, created_at, updated_at)
      select ${id('transaction', 'n')}, ${id('merchant', merchant)}, 'ch_' || n, 'arn' || n, '424242',
        lpad((n % 10000)::text, 4, '0'), at, '{email}', repeat('x', 100), array[decode(md5(n::text), 'hex')], at, at
      from (select n, ${spread(transactions)} as at from ${series(transactions)}) rows`,
    `insert into client_data (chargeback_id, merchant_uuid, data_points, sealed, persons)
      select ${id('chargeback', 'n * 10')}, ${id('merchant', '1')}, '{email}', '-', array[decode(md5(n::text), 'hex')]
      from ${series(commands)}`,
    `insert into command (command_id, kind, merchant_uuid, chargeback_id, round, deadline, status, source, psp_account,
        reference, requested_at, completed_at, checked_at)
      select ${id('command', 'n')}, case when n % 2 = 0 then 'acceptance' else 'evidence_submission' end,
        ${id('merchant', '1')}, ${id('chargeback', 'n * 10')}, 1, at + interval '1 day',
        case when n > ${commands - 100} then 'inProgress' else 'succeeded' end, 'stripe', 'acct_1', 'du_' || n * 10, at, at, at
      from (select n, ${spread(commands)} as at from ${series(commands)}) rows`,
    `insert into psp_operation (psp_operation_id, command_id, effect, idempotency_key, state)
      select ${id('command', 'n')}, ${id('command', 'n')}, 'e' || n, 'k' || n, 'confirmed' from ${series(commands)}`,
    `insert into evidence_submission (command_id, file_id, persons)
      select ${id('command', 'n')}, ${id('file', `1 + n % ${files}`)}, array[decode(md5(n::text), 'hex')]
      from ${series(commands)} where n % 2 = 1`,
    `insert into evidence_plan (plan_id, merchant_uuid, chargeback_id, file_id, requested_at)
      select ${id('other', 'n')}, ${id('merchant', '1')}, ${id('chargeback', 'n * 10')}, ${id('file', `1 + n % ${files}`)},
        now() - interval '23 hours' * (1 - n::float8 / ${commands}) from ${series(commands)}`,
    `insert into evidence_package (package_id, merchant_uuid, chargeback_id, round, version, state, digest, file_id,
        content_sealed, persons, play, playbook_version, completeness, required_missing, kept, manual_only, contradicted,
        pages, bytes, built_at)
      select ${id('other', 'n')}, ${id('merchant', owner)}, ${id('chargeback', 'n')}, 1, 1, 'current', md5(n::text),
        ${id('other', 'n')}, repeat('x', 200), array[decode(md5(n::text), 'hex')], 'general', 1, 0.8, 0, '{order}', false,
        false, 1, 1, ${spread(chargebacks)}
      from ${series(chargebacks)} where n % 31 = 1 and n % 186 <> 1 and n % 59 > 0`,
    `insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, name_sealed, content_sealed, persons, created_at)
      select ${id('file', 'n')}, ${id('merchant', merchant)}, 'evidence_file', 'application/pdf', 1, '', '-', '',
        array[decode(md5(n::text), 'hex')], ${spread(files)} from ${series(files)}`,
    `insert into notification (integration_id, notification_id, type, "references", sealed, persons, received_at)
      select ${id('integration', integration)}, 'evt_' || n, 'hint', array['du_' || n], '-', array[decode(md5(n::text), 'hex')],
        ${spread(commands)} from ${series(commands)}`,
    `insert into quarantine (integration_id, hash, reference, reason, sealed, translation_version)
      select ${id('integration', integration)}, decode(md5(n::text), 'hex'), 'du_' || n, 'bad', '-', 1 from ${series(files)}`,
    `insert into list_page (integration_id, page_key, fingerprint, translation_version, objects, next, object_hashes, stored_at)
      select ${id('integration', integration)}, 'du_' || n, decode(md5(n::text), 'hex'), 3, 100, '{"after":"du_1"}',
        array(select h::int from generate_series(n * 100, n * 100 + 99) h), ${spread(files)} from ${series(files)}`,
    `insert into alert (alert_id, merchant_uuid, integration_id, reference, psp, alert_date, chargeback_id)
      select ${id('other', 'n')}, ${id('merchant', owner)}, ${id('integration', integration)}, 'al_' || n, 'stripe', now(),
        ${id('chargeback', 'n')} from ${series(commands)}`,
    `insert into alert_outcome (alert_outcome_id, alert_id, credential_id, outcome, persons)
      select ${id('other', 'n')}, ${id('other', 'n')}, ${id('other', '1')}, 'stopped', array[decode(md5(n::text), 'hex')]
      from ${series(commands)}`,
    `insert into idempotency_key (credential_id, merchant_uuid, key, request_hash, status, created_at, expires_at)
      select ${id('other', `1 + n % ${merchants}`)}, ${id('merchant', '1')}, 'k' || n, '', 200, now(),
        now() + interval '1 day' * n / ${commands} from ${series(commands)}`,
    `insert into ingestion (ingestion_id, merchant_uuid, integration_id, credential_id, data_source, data_source_version,
        data_type, reference, request_timestamp, status, persons)
      select ${id('other', 'n')}, ${id('merchant', owner)}, ${id('integration', integration)}, ${id('other', '1')}, 'stripe',
        '1', 'dispute', 'du_' || n, now(), 'applied', array[decode(md5(n::text), 'hex')] from ${series(commands)}`,
    `insert into rate_bucket (bucket, tokens) select 'stripe:acct_' || n, 25 from ${series(integrations)}`,
    `insert into scope_version (integration_id, version, rules)
      select ${id('integration', 'n')}, 1, '{}' from ${series(integrations)}`,
    `insert into operator_action (operator, action, outcome, subject)
      select 'o', 'job resolve', 'done', 's' || n from ${series(few)}`,
    `insert into outbox (kind, payload, next_attempt_at)
      select 'submit_evidence', '{}', now() + interval '1 second' * (n - 100) from ${series(few)}`,
    `insert into event (position, event_id, merchant_uuid, type, subject, chargeback_id, timeline_from, timeline_to,
        occurred_at)
      select n - ${chargebacks - commands}, ${id('other', `n - ${chargebacks - commands}`)}, ${id('merchant', owner)},
        'chargeback.created', ${id('chargeback', 'n')}, ${id('chargeback', 'n')}, n, n,
        now() - interval '30 days' * (${chargebacks} - n)::float8 / ${commands}
      from generate_series(${chargebacks - commands + 1}, ${chargebacks}) n`,
    `update event_state set position = ${commands}`,
    `insert into event_line (merchant_uuid, type, subject)
      select ${id('merchant', merchant)}, 'alert.outcome_recorded', ${id('other', 'n')} from ${series(few)}`,
    `insert into webhook_endpoint (endpoint_id, account_id, merchant_uuid, url, events, payload, signature, keys_sealed, due_at)
      select ${id('other', 'n')}, ${id('account', `1 + n % ${ACCOUNTS}`)}, ${id('merchant', 'n')}, 'https://m.example.com',
        '{*}', 'full', 'hmac', '-', now() + interval '1 minute' * (n % 100 - 10) from ${series(merchants)}`,
    `insert into webhook_endpoint_event (endpoint_id, at, actor, what)
      select ${id('other', `1 + n % ${merchants}`)}, ${spread(few)}, 'delivery', 'disabled' from ${series(few)}`,
    `insert into webhook_delivery (endpoint_id, event_position, event_id, type, state, next_attempt_at, created_at,
        finished_at, tries)
      select ${id('other', merchant)}, n, ${id('other', 'n')}, 'chargeback.created',
        case when n % 20 = 2 then 'failed' when ${waits} then 'pending' else 'delivered' end, at, at,
        case when not (${waits}) then at end, '[{"status": 200, "durationMs": 20}]'
      from (select n, now() - interval '30 days' * (1 - n::float8 / ${commands}) as at from ${series(commands)}) rows`,
    `insert into setting_event (merchant_uuid, at, credential_id, what)
      select ${id('merchant', merchant)}, ${spread(few)}, ${id('other', '1')}, 'automatic submission changed'
      from ${series(few)}`,
    `insert into console_session (session_hash, credential_id, kid, created_at, seen_at, ends_at)
      select sha256(n::text::bytea), ${id('other', 'n')}, 'k', now(), now(), now() + interval '12 hours'
      from ${series(merchants)}`,
    `insert into evidence_upload (command_id, field, sha256, psp_file)
      select ${id('command', 'n')}, 'uncategorized_file', md5(n::text), 'file_' || n from ${series(commands)} where n % 2 = 1`,
    `insert into secret_rotation (rotation_id, integration_id, secret_type, expires_at, requested_at, ended_at, outcome)
      select ${id('other', 'n')}, ${id('integration', `1 + n % ${integrations}`)}, 'APIKEY_ONLY', at, at, at, 'replaced'
      from (select n, now() - interval '90 days' * (1 - n::float8 / ${few}) as at from ${series(few)}) rows`,
    `insert into reread (integration_id, reference)
      select ${id('integration', '1')}, 'du_' || n from ${series(Math.floor(files / 10))}`,
    `insert into removal (removal_id, merchant_uuid, status) select ${id('other', 'n')}, ${id('merchant', owner)}, 'succeeded'
      from ${series(files)}`,
    `insert into erased_subject (subject_id, merchant_uuid, email, first_name, last_name)
      select ${id('other', 'n')}, ${id('merchant', '1')}, decode(md5(n::text), 'hex'), '', '' from ${series(files / 10)}`,
    `insert into erased_reference (integration_id, reference, subject_id)
      select ${id('integration', '1')}, 'du_' || n * 10, ${id('other', 'n')} from ${series(files / 10)}`,
  ]
}

/**
 * Fills an empty, migrated database and leaves it without statistics, like a table that grew overnight. Indexes without
 * a constraint are created afterwards, each in one sort. Postgres makes the rows: COPY would send the same from Node.
 * @param owners connections of a superuser, so that references need no check row by row. Each fills a table at a time.
 */
export async function fill(owners: [pg.Client, ...pg.Client[]], size: Size): Promise<void> {
  const each = (sql: string) => Promise.all(owners.map((owner) => owner.query(sql)))
  const inTurns = async (left: string[]) => {
    const fillOne = async (owner: pg.Client) => {
      for (let next = left.shift(); next; next = left.shift()) await owner.query(next)
    }
    await Promise.all(owners.map(fillOne))
  }
  await each(`set session_replication_role = replica; set maintenance_work_mem = '256MB'; set work_mem = '64MB';
    set max_parallel_maintenance_workers = 0`)
  const [owner] = owners
  const { rows: indexes } = await owner.query<{ name: string; definition: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class t on t.oid = i.indrelid
    where t.relnamespace = 'public'::regnamespace and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`)
  for (const { name } of indexes) await owner.query(`drop index ${name}`)
  const { rows: tables } = await owner.query<{ name: string }>(`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%'`)
  for (const { name } of tables) await owner.query(`alter table ${name} set (autovacuum_enabled = off)`)
  await inTurns(statements(size))
  await inTurns(indexes.map(({ definition }) => definition))
  await each(`set session_replication_role = origin`)
}
