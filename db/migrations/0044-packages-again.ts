import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * When a package is built again although no data changed: until now `package_wanted_at` said both, so an unchanged package
 * was stale once that time had come. A process of the version before still writes a time to come there: a trigger moves it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`alter table chargeback add column if not exists package_again_at timestamptz`.execute(trx)
  })
  await sql`
    create or replace function split_package_times() returns trigger language plpgsql as $$
      begin
        new.package_again_at := new.package_wanted_at;
        new.package_wanted_at := new.package_at;
        return new;
      end $$`.execute(db)
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    // Only the end of a build writes `package_at`; this version's leaves no later change.
    await sql`
      create or replace trigger chargeback_package_times before update of package_at on chargeback for each row
        when (new.package_wanted_at > new.package_at) execute function split_package_times()`.execute(trx)
  })
  for (let moved = 1n; moved > 0n; ) {
    const { numAffectedRows = 0n } = await sql`
      update chargeback c set package_again_at = c.package_wanted_at, package_wanted_at = c.package_at from (
        select id from chargeback where status = 'building_evidence' and package_wanted_at > package_at
          and package_wanted_at > clock_timestamp()
        order by id limit 500 for no key update
      ) later where c.id = later.id`.execute(db)
    moved = numAffectedRows
  }
  await indexConcurrently(
    db,
    'chargeback_package_again',
    `chargeback (package_again_at, id) where status = 'building_evidence' and package_again_at is not null`,
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}
