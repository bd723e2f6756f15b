import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { WANTED_NOW } from '../packages/wanted.ts'
import { ERASED_FILE, mine, UNDER_WAY } from './erase-records.ts'
import { countErased, type Removal } from './removals.ts'

/**
 * Packages of evidence that say something about the person, after their files. Those that a running submission sends are
 * erased when it has ended. All of the person's chargebacks want a package again: one whose build read the data before it
 * was erased is not stored then. Locks chargebacks, packages and files in this order, as a build does.
 */
export function erasePackages(db: Database, removal: Removal): Promise<number> {
  const { merchantUuid, lookups, removalId } = removal
  const about = sql`t.merchant_uuid = ${merchantUuid} and t.content_sealed is not null
    and (t.persons && ${lookups}::bytea[] or t.chargeback_id in ${mine(removal)}
      or t.file_id in (select file_id from file where file_id = t.file_id and erased_at is not null))`
  return db.transaction().execute(async (trx) => {
    const { rows: locked } = await sql<{ id: string }>`
      select c.id from chargeback c
      where c.id in (select t.chargeback_id from evidence_package t where ${about} union select id from ${mine(removal)} m)
      order by c.id for no key update of c`.execute(trx)
    const { rows } = await sql<{ count: number }>`
      with found as materialized (
        select t.package_id from evidence_package t
        where t.chargeback_id = any(${locked.map((row) => row.id)}::uuid[]) and ${about}
          and (t.file_id is null
            or t.file_id not in (select file_id from evidence_submission where command_id in ${UNDER_WAY}))
        order by t.package_id for no key update
      ), gone as (
        update evidence_package t set state = case when t.state = 'superseded' then t.state else 'erased' end,
          content_sealed = null, persons = '{}'
        from found where t.package_id = found.package_id
        returning t.merchant_uuid, t.chargeback_id, t.package_id, t.version, t.file_id
      ), files as (
        update file f set ${ERASED_FILE} from (
          select f.file_id from gone join file f on f.file_id = gone.file_id and f.erased_at is null
          order by f.file_id for no key update of f
        ) held where f.file_id = held.file_id
      ), told as (
        insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
        select merchant_uuid, chargeback_id, 'removal', 'evidence package erased',
          jsonb_build_object('packageId', package_id, 'version', version) from gone
      ), wanted as (
        update chargeback c set package_wanted_at = ${WANTED_NOW}
        where c.id in (select chargeback_id from gone union select id from ${mine(removal)} m)
      )
      select count(*)::int as count from gone`.execute(trx)
    const count = rows[0]?.count ?? 0
    await countErased(trx, removalId, 'evidencePackages', count)
    return count
  })
}
