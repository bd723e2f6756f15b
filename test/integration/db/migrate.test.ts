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
