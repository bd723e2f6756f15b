import { type RawBuilder, sql } from 'kysely'
import { isAbout, type Person, redact } from '../../domain/redaction.ts'
import type { Database } from '../core/connect.ts'
import { formOf, type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { asText, fromText } from './kept-texts.ts'
import { personHashes } from './persons.ts'
import { countErased, type Removal } from './removals.ts'

/** Objects sent by PSPs, without the person: each object stays, minus its personal data. */

const SLICE = 100

/** Tables with sealed texts of PSPs: a sortable key, and the rows that belong to a dispute `m`. */
const PLACES = {
  rawObjects: place('raw_object', sql`concat(t.kind, ' ', t.reference)`, sql`t.reference = m.reference`),
  quarantine: place('quarantine', sql`t.quarantine_id::text`, sql`t.reference = m.reference`),
  notifications: place('notification', sql`t.position::text`, sql`t."references" @> array[m.reference]`),
  ingestions: place(
    'ingestion',
    sql`t.ingestion_id::text`,
    // Records name a chargeback of any integration of the merchant, as `chargebacksNamed` finds it.
    sql`t.reference = m.reference`,
    sql`t.merchant_uuid = m.merchant_uuid
      and t.about && array[m.reference, m.transaction_id, m.external_transaction_identifier, m.arn]`,
  ),
} as const
export type PspPlace = keyof typeof PLACES

function place(table: string, key: RawBuilder<unknown>, own: RawBuilder<unknown>, named = sql`false`) {
  const about = sql`(t.integration_id = m.integration_id and ${own} or ${named})`
  return { table: sql.table(table), key: sql`concat(t.integration_id, ' ', ${key})`, about }
}

interface Row {
  ctid: string
  key: string
  integrationId: string
  /** Kind of a raw object. */
  kind: string
  reference: string
  /** For an ingestion: the ids that it refers to, in plain text. */
  about: string[]
  sealed: string
  marked: boolean
}

/** A row after redaction. */
export type Redacted = Pick<Row, 'integrationId' | 'kind' | 'reference'> & { text: string }

/**
 * Redacts every row of a table that concerns the person, by its content or by its chargeback, in slices of one
 * transaction each. `then` runs in that transaction with the redacted rows.
 * @returns the number of rows that concerned the person and were not redacted before
 */
export async function erasePspTexts(
  db: Database,
  ring: KeyRing,
  removal: Removal,
  name: PspPlace,
  then: (trx: Database, redacted: Redacted[]) => Promise<void> = async () => {},
): Promise<number> {
  let erased = 0
  for (let after = ''; ; ) {
    const slice = await db.transaction().execute(async (trx) => {
      const rows = await lockedCandidates(trx, removal, name, after)
      const redacted = rows.flatMap((row) => {
        const text = open(ring, row.sealed, sealContext.rawObject(row.integrationId))
        const kept = row.marked || isAbout(text, removal.who) ? redact(text, removal.who) : text
        return kept === text ? [] : [{ ...row, text: kept, about: withoutPerson(row.about, removal.who) }]
      })
      await write(trx, ring, name, redacted)
      await then(trx, redacted)
      await countErased(trx, removal.removalId, name, redacted.length)
      return { count: rows.length, erased: redacted.length, last: rows.at(-1)?.key }
    })
    erased += slice.erased
    if (slice.count < SLICE || slice.last === undefined) return erased
    after = slice.last
  }
}

/** Chargebacks before their raw objects, as where a page is stored: `then` may change the chargebacks. */
async function lockedCandidates(db: Database, removal: Removal, name: PspPlace, after: string): Promise<Row[]> {
  const { key } = PLACES[name]
  const next = sql`${key} > ${after}`
  if (name !== 'rawObjects') return candidates(db, removal, name, next)
  const found = await candidates(db, removal, name, next, sql``)
  await sql`
    select from chargeback c where c.id in (
      select d.id from unnest(${found.map((row) => row.integrationId)}::uuid[],
        ${found.map((row) => row.reference)}::text[]) as f(integration_id, reference)
      join chargeback d on d.integration_id = f.integration_id and d.chargeback_id = f.reference)
    order by c.id for no key update`.execute(db)
  return candidates(db, removal, name, sql`${key} = any(${found.map((row) => row.key)}::text[])`)
}

async function candidates(
  db: Database,
  removal: Removal,
  name: PspPlace,
  which: RawBuilder<unknown>,
  lock = sql`for update of t`,
): Promise<Row[]> {
  const { table, key, about } = PLACES[name]
  const described = name === 'rawObjects' ? sql`t.kind, t.reference` : sql`'' as kind, '' as reference`
  const named = name === 'ingestions' ? sql`t.about` : sql`array[]::text[] as about`
  const { rows } = await sql<Row>`
    with mine as (
      select r.integration_id, r.reference, c.merchant_uuid, c.transaction_id, c.external_transaction_identifier, c.arn
      from erased_reference r
      left join chargeback c on c.integration_id = r.integration_id and c.chargeback_id = r.reference
      where r.subject_id = ${removal.subjectId}
    ), found as (
      select at, bool_or(marked) as marked from (
        select t.ctid as at, false as marked from ${table} t
        where t.persons && ${removal.lookups}::bytea[] and t.persons <> '{}'
        union all
        select t.ctid, true from mine m join ${table} t on ${about}
      ) f group by at
    )
    select t.ctid::text, ${key} as key, t.integration_id as "integrationId", ${described}, ${named}, t.sealed, f.marked
    from found f join ${table} t on t.ctid = f.at
    join integration i on i.integration_id = t.integration_id
    where i.merchant_uuid = ${removal.merchantUuid} and t.sealed is not null and ${which}
    order by key limit ${SLICE} ${lock}`.execute(db)
  return rows
}

async function write(db: Database, ring: KeyRing, name: PspPlace, redacted: (Row & { text: string })[]): Promise<void> {
  if (redacted.length === 0) return
  const sealed = redacted.map((row) =>
    seal(ring, row.text, sealContext.rawObject(row.integrationId), formOf(row.sealed)),
  )
  await sql`
    update ${PLACES[name].table} t set sealed = r.sealed, persons = ${fromText('r.persons')}
      ${name === 'ingestions' ? sql`, about = array(select jsonb_array_elements_text(r.about::jsonb))` : sql``}
    from unnest(${redacted.map((row) => row.ctid)}::text[], ${sealed}::text[],
      ${redacted.map((row) => asText(personHashes(ring, row.text)))}::text[],
      ${redacted.map((row) => JSON.stringify(row.about))}::text[]) as r(at, sealed, persons, about)
    where t.ctid = r.at::tid`.execute(db)
}

/** Removes ids that a shop derived from an address: the chargeback has lost them too. */
const withoutPerson = (about: string[], who: Person): string[] =>
  (JSON.parse(redact(JSON.stringify(about), who)) as (string | null)[]).filter((id) => id !== null)
