import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * The version of the build that made each package: docs/decisions/0078. A row that a process of the version before inserts has
 * none; the trigger says so on the chargeback as well, where the sweep looks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const locking = (work: (trx: Kysely<unknown>) => Promise<unknown>) =>
    db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = 500`.execute(trx)
      await work(trx)
    })
  await locking((trx) => sql`alter table evidence_package add column if not exists build_version integer`.execute(trx))
  await locking((trx) => sql`alter table chargeback add column if not exists package_build integer`.execute(trx))
  await sql`
    create or replace function note_package_build() returns trigger language plpgsql as $$
      begin
        -- Planned at each call: a plan must not outlive its scope.
        execute 'update chargeback set package_build = $1 where id = $2' using new.build_version, new.chargeback_id;
        return null;
      end $$`.execute(db)
  await locking((trx) =>
    sql`
    create or replace trigger evidence_package_build after insert or update of build_version on evidence_package
      for each row execute function note_package_build()`.execute(trx),
  )
  await indexConcurrently(
    db,
    'chargeback_package_build',
    `chargeback ((coalesce(package_build, 0)), due_date, id)
      where status = 'building_evidence' and package_at is not null and merged_into is null`,
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
