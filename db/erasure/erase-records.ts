import { type RawBuilder, sql } from 'kysely'
import { addressesIn } from '../../domain/accounts/addresses.ts'
import { isAbout, redact } from '../../domain/redaction.ts'
import { openRecord } from '../chargebacks/chargeback-data.ts'
import { RECORDS, touchedChargebacks } from '../chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../chargebacks/refresh-data.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { OWN_FILES } from '../evidence/chargeback-files.ts'
import { asText, fromText } from './kept-texts.ts'
import { personHashes } from './persons.ts'
import { countErased, type Removal } from './removals.ts'

/** Data about the person that merchants sent: deleted, or blanked where the row has another purpose. */

const SLICE = 100

/** Ids of the person's chargebacks. */
export const mine = ({ subjectId }: Removal) => sql`(
  select c.id from erased_reference r
  join chargeback c on c.integration_id = r.integration_id and c.chargeback_id = r.reference
  where r.subject_id = ${subjectId})`

/** Alert `a` of a marked chargeback, or itself marked. */
const OF_SUBJECT = (removal: Removal) => sql`(a.chargeback_id in ${mine(removal)} or exists (
  select from erased_reference r where r.subject_id = ${removal.subjectId}
    and r.integration_id = a.integration_id and r.reference = a.reference))`

/** An open submission needs its texts and its file until it is closed; they are erased afterwards. */
export const UNDER_WAY = sql`(select k.command_id from command k where k.status in ('created', 'inProgress'))`

export const ERASED_FILE = sql`content_sealed = null, name_sealed = null, metadata_sealed = null, md5 = null, persons = '{}',
  erased_at = now()`

/** Purchases by the person, and those that belong to the person's chargebacks. */
export async function eraseTransactions(db: Database, ring: KeyRing, removal: Removal, now: Date): Promise<number> {
  const { merchantUuid, lookups, removalId } = removal
  let erased = 0
  for (let after = ''; ; ) {
    const { rows } = await sql<{
      id: string
      transactionId: string
      arn: string | null
      last4: string | null
      sealed: string
      mine: boolean
    }>`
      select t.transaction_record_id::text as id, t.transaction_id as "transactionId", t.arn,
        t.card_last_four_digits as last4, t.sealed, bool_or(f.mine) as mine
      from (
        select transaction_record_id as id, false as mine from transaction_record
        where persons && ${lookups}::bytea[] and merchant_uuid = ${merchantUuid}
        union all
        select t.transaction_record_id, true from chargeback c cross join ${RECORDS}
        where c.id in ${mine(removal)}
      ) f join transaction_record t on t.transaction_record_id = f.id
      where t.transaction_record_id::text > ${after}
      group by t.transaction_record_id order by t.transaction_record_id::text limit ${SLICE}`.execute(db)
    const about = rows.filter(
      (row) => row.mine || isAbout(JSON.stringify(openRecord(ring, row.id, row.sealed)), removal.who),
    )
    if (about.length > 0)
      await db.transaction().execute(async (trx) => {
        const touched = new Set<string>()
        for (const { transactionId, arn, last4 } of about) {
          const record = { merchantUuid, transactionId, arns: arn ? [arn] : [], lastFourDigits: last4 ? [last4] : [] }
          for (const { id } of await touchedChargebacks(trx, record)) touched.add(id)
        }
        await sql`delete from transaction_record where transaction_record_id = any(${about.map((row) => row.id)}::uuid[])`.execute(
          trx,
        )
        // The person's own chargebacks are refreshed once, at the end.
        const others = await notMine(trx, removal, [...touched])
        await refreshChargebackData(trx, ring, others, { now, source: 'removal', what: 'personal data erased' })
        await countErased(trx, removalId, 'transactions', about.length)
        // Now, because nothing else says whose purchase they show.
        const files = await eraseFilesOf(trx, merchantUuid, about)
        await countErased(trx, removalId, 'files', files)
      })
    erased += about.length
    after = rows.at(-1)?.id ?? after
    if (rows.length < SLICE) return erased
  }
}

/** Files uploaded to these transactions, except those that an open submission needs. */
async function eraseFilesOf(db: Database, merchantUuid: string, about: { transactionId: string }[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select file_id from file t where t.merchant_uuid = ${merchantUuid} and t.erased_at is null
        and t.transaction_reference = any(${about.map((one) => one.transactionId)}::text[])
        and t.file_id not in (select file_id from evidence_submission where command_id in ${UNDER_WAY})
      order by file_id for no key update
    ), gone as (
      update file t set ${ERASED_FILE} from found where t.file_id = found.file_id and t.erased_at is null
      returning 1)
    select count(*)::int as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}

async function notMine(db: Database, removal: Removal, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::uuid[]) as u(id) where id not in ${mine(removal)}`.execute(db)
  return rows.map((row) => row.id)
}

/** Data points of the person's chargebacks, texts and dry runs of their evidence, comments on their alerts. */
export async function eraseChargebackData(db: Database, removal: Removal): Promise<number> {
  const ids = mine(removal)
  const emptied = (table: string, columns: string, where: RawBuilder<unknown>) =>
    sql`with gone as (update ${sql.table(table)} t set ${sql.raw(columns)} where ${where} returning 1)
      select count(*)::int as count from gone`
  const deleted = (table: string) =>
    sql`with gone as (delete from ${sql.table(table)} where chargeback_id in ${ids} returning 1)
      select count(*)::int as count from gone`
  return inCounts(db, removal, {
    dataPoints: deleted('client_data'),
    evidencePlans: deleted('evidence_plan'),
    evidenceTexts: emptied(
      'evidence_submission',
      `texts_sealed = null, persons = '{}'`,
      sql`t.texts_sealed is not null and t.command_id not in ${UNDER_WAY}
        and t.command_id in (select command_id from command where chargeback_id in ${ids})`,
    ),
    alertComments: emptied(
      'alert_outcome',
      `comments_sealed = null, persons = '{}'`,
      sql`t.comments_sealed is not null and t.alert_id in (
        select a.alert_id from alert a where a.merchant_uuid = ${removal.merchantUuid}
          and (${OF_SUBJECT(removal)} or t.persons && ${removal.lookups}::bytea[]))`,
    ),
  })
}

/**
 * Files that show the person's address, and files sent for, built for or uploaded to the person's chargebacks. The row stays
 * without its content.
 */
export function eraseFiles(db: Database, removal: Removal): Promise<number> {
  return inCounts(db, removal, {
    files: sql`
      with found as materialized (
        select t.file_id from file t
        where t.merchant_uuid = ${removal.merchantUuid} and t.erased_at is null
          and (t.persons && ${removal.lookups}::bytea[] or t.file_id in (
            select e.file_id from evidence_submission e join command k on k.command_id = e.command_id
            where k.chargeback_id in ${mine(removal)}) or t.file_id in (
            select j.file_id from chargeback c cross join lateral ${OWN_FILES} j where c.id in ${mine(removal)})
            or t.file_id in (select p.file_id from evidence_package p where p.chargeback_id in ${mine(removal)}))
          and t.file_id not in (select file_id from evidence_submission where command_id in ${UNDER_WAY})
        order by t.file_id for no key update
      ), gone as (
        update file t set ${ERASED_FILE} from found where t.file_id = found.file_id and t.erased_at is null
        returning 1)
      select count(*)::int as count from gone`,
  })
}

async function inCounts(db: Database, removal: Removal, places: Record<string, RawBuilder<unknown>>): Promise<number> {
  let erased = 0
  for (const [place, statement] of Object.entries(places))
    erased += await db.transaction().execute(async (trx) => {
      const { rows } = await (statement as RawBuilder<{ count: number }>).execute(trx)
      const count = rows[0]?.count ?? 0
      await countErased(trx, removal.removalId, place, count)
      return count
    })
  return erased
}

/** Stored responses of idempotent requests: personal data is blanked, ids stay. */
export async function eraseStoredResponses(db: Database, ring: KeyRing, removal: Removal): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ ctid: string; credentialId: string; sealed: string }>`
      select ctid::text, credential_id as "credentialId", answer_sealed as sealed from idempotency_key
      where merchant_uuid = ${removal.merchantUuid} and persons && ${removal.lookups}::bytea[] and persons <> '{}'
        and answer_sealed is not null
      for update`.execute(trx)
    const redacted = rows.flatMap(({ ctid, credentialId, sealed }) => {
      const context = sealContext.storedAnswer(credentialId)
      const text = open(ring, sealed, context)
      if (!addressesIn(text).some(removal.who.isAddress)) return []
      const left = redact(text, removal.who)
      return [{ ctid, sealed: seal(ring, left, context), persons: asText(personHashes(ring, left)) }]
    })
    await sql`
      update idempotency_key t set answer_sealed = r.sealed, persons = ${fromText('r.persons')}
      from unnest(${redacted.map((row) => row.ctid)}::text[], ${redacted.map((row) => row.sealed)}::text[],
        ${redacted.map((row) => row.persons)}::text[]) as r(at, sealed, persons)
      where t.ctid = r.at::tid`.execute(trx)
    await countErased(trx, removal.removalId, 'answers', redacted.length)
    return redacted.length
  })
}

/** Number of open submissions that still need data to be erased. */
export async function heldByCommands(db: Database, removal: Removal): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from evidence_submission e join command k on k.command_id = e.command_id
    left join file f on f.file_id = e.file_id and f.erased_at is null
    where e.command_id in ${UNDER_WAY}
      and ((k.chargeback_id in ${mine(removal)} and (e.texts_sealed is not null or f.file_id is not null))
        or k.merchant_uuid = ${removal.merchantUuid} and f.persons && ${removal.lookups}::bytea[])`.execute(db)
  return rows[0]?.count ?? 0
}
