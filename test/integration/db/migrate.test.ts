import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { migrate, migrator, pendingMigrations } from '../../../db/core/migrate.ts'
import { migrations } from '../../../db/migrations/index.ts'
import { createEmptyDatabase } from '../../harness/database.ts'

const disposable = (url: string) => {
  const db = connect(url, { scope: 'owner', max: 2, statementTimeoutMs: 0 })
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() })
}

/** A database with three files, from before files were counted. */
async function before(url: string): Promise<void> {
  await using db = disposable(url)
  const { error } = await migrator(db).migrateTo('0014-operator-actions')
  if (error) throw error
  await sql`
    insert into account (account_id, name) select ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'A' from generate_series(1, 2) n;
    insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
      select account_id, account_id, 'm', 'M', 'https://m', '-' from account;
    insert into file (file_id, merchant_uuid, purpose, type, bytes, sha256, name_sealed, content_sealed, erased_at)
      select gen_random_uuid(), '00000000-0000-7000-8000-000000000001', 'evidence_file', 'application/pdf', n, '',
        case when n < 4 then '-' end, case when n < 4 then ''::bytea end, case when n = 4 then now() end
      from generate_series(1, 4) n`.execute(db)
}

test('a migration that waits for a lock lets writers pass, and is retried until the lock is free', async () => {
  await using database = await createEmptyDatabase()
  await before(database.url)
  await using db = disposable(database.url)
  const holder = new pg.Client(database.url)
  await holder.connect()
  await holder.query(`begin; update file set type = 'x' where bytes = 1`)
  let waits = 0
  const migrated = migrate(db, 'sandbox')
  const writer = new pg.Client(database.url)
  await writer.connect()
  // Behind a migration without a time-out it would wait for the holder, which ends below.
  await writer.query(`set statement_timeout = '20s'`)
  // Until it queued up behind the migration twice.
  while (waits < 2) {
    const began = performance.now()
    await writer.query(`update file set type = 'y' where bytes = 2`)
    if (performance.now() - began > 250) waits++
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect((await pendingMigrations(db))[0]).toMatch(/^001/)
  await holder.query('commit')
  expect((await migrated).at(-1)).toBe(Object.keys(migrations).at(-1))
  await Promise.all([holder.end(), writer.end()])
})

test('existing files are counted once, by account, and concurrent migrations take turns', async () => {
  await using database = await createEmptyDatabase()
  await before(database.url)
  await using db = disposable(database.url)
  await using other = disposable(database.url)
  const applied = await Promise.all([migrate(db, 'sandbox'), migrate(other, 'sandbox')])
  expect(applied.map((names) => names.length > 0).sort()).toEqual([false, true])
  const usage = await db.selectFrom('account_usage').select('file_bytes').orderBy('account_id').execute()
  expect(usage).toEqual([{ file_bytes: 6n }, { file_bytes: 0n }])
})

test('an index that a failed attempt left invalid is created again', async () => {
  await using database = await createEmptyDatabase()
  await before(database.url)
  await using db = disposable(database.url)
  await sql`create index evidence_plan_of_file on evidence_plan (file_id)`.execute(db)
  await sql`update pg_index set indisvalid = false where indexrelid = 'evidence_plan_of_file'::regclass`.execute(db)
  await migrate(db, 'sandbox')
  const { rows } = await sql`select indisvalid as valid from pg_index
    where indexrelid in ('evidence_plan_of_file'::regclass, 'evidence_plan_of_chargeback'::regclass)`.execute(db)
  expect(rows).toEqual([{ valid: true }, { valid: true }])
})

test('a build that was wanted later has its own time, also if a process of the version before asks for it', async () => {
  await using database = await createEmptyDatabase()
  await using db = disposable(database.url)
  const { error } = await migrator(db, true).migrateTo('0043-out-of-scope-index')
  if (error) throw error
  const id = '00000000-0000-7000-8000-000000000001'
  await sql`
    insert into account (account_id, name) values (${sql.lit(id)}, 'A');
    insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
      values (${sql.lit(id)}, ${sql.lit(id)}, 'm', 'M', 'https://m', '-');
    insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier, secret_type,
        secret_sealed, status, psp_account, claimed_account)
      values (${sql.lit(id)}, ${sql.lit(id)}, 'stripe', 'S', 'S', 'APIKEY_ONLY', '-', 'SUCCESSFUL', 'a', 'a');
    insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, psp_account, currency, amount_minor,
        amount_exponent, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at,
        translation_version, package_at, package_wanted_at)
      select gen_random_uuid(), ${sql.lit(id)}, ${sql.lit(id)}, name, 'stripe', 'a', 'USD', 1, 2, 'needs_response',
        'building_evidence', '-', 'chargeback', 'fraud', '', now(), 1, timestamptz '2026-01-01', wanted
      from (values ('later', now() + interval '1 hour'), ('changed', now() - interval '1 minute')) v(name, wanted)`.execute(
    db,
  )
  await migrate(db, 'sandbox')
  const read = async () =>
    (
      await sql`select chargeback_id as name, package_wanted_at > package_at as stale, package_again_at > now() as again
        from chargeback order by chargeback_id`.execute(db)
    ).rows
  const later = { name: 'later', stale: false, again: true }
  expect(await read()).toEqual([{ name: 'changed', stale: true, again: null }, later])
  await sql`update chargeback set package_at = package_wanted_at, package_wanted_at = now() + interval '10 minutes'
    where chargeback_id = 'changed'`.execute(db)
  expect(await read()).toEqual([{ ...later, name: 'changed' }, later])
})
