import { sql } from 'kysely'
import { redact } from '../../domain/redaction.ts'
import { columnOf, inTimeline } from '../chargebacks/column-sql.ts'
import type { Database } from '../core/connect.ts'
import { countErased, type Removal } from './removals.ts'

/**
 * Facts in plain columns (amounts, dates, ids) are no personal data, except free text of the PSP or the merchant: an
 * order id may be an e-mail address. Those columns are checked for the person's chargebacks and alerts.
 */

const FREE_TEXT = ['reason', 'external_transaction_identifier', 'transaction_id', 'reason_code', 'arn'] as const
const COLUMNS = {
  chargeback: ['id', inTimeline('name only').map((name) => columnOf(name).column)],
  alert: ['alert_id', [...FREE_TEXT, 'fraud_type']],
} as const
const SLICE = 200

/** @returns how many rows held the person's address or name in such a column */
export async function eraseFacts(db: Database, removal: Removal, table: keyof typeof COLUMNS): Promise<number> {
  const [, columns] = COLUMNS[table]
  let erased = 0
  for (let after = ''; ; ) {
    const rows = await marked(db, removal, table, after)
    const held = rows.flatMap(({ id, ...facts }) => {
      const names = columns.filter((name) => facts[name] && left(removal, name, facts[name]) === null)
      return names.length > 0 ? [{ id, names }] : []
    })
    if (held.length > 0)
      await db.transaction().execute(async (trx) => {
        for (const row of held) await blank(trx, table, row)
        await countErased(trx, removal.removalId, `${table}Facts`, held.length)
      })
    erased += held.length
    after = rows.at(-1)?.id ?? after
    if (rows.length < SLICE) return erased
  }
}

async function blank(db: Database, table: keyof typeof COLUMNS, { id, names }: { id: string; names: string[] }) {
  const nulls = sql.raw(names.map((name) => `${name} = null`).join(', '))
  if (table === 'alert') {
    await sql`update alert set ${nulls}, updated_at = now() where alert_id = ${id}`.execute(db)
    return
  }
  const erased = JSON.stringify(Object.fromEntries(names.map((name) => [camelCase(name), null])))
  await sql`
    with blanked as (
      update chargeback set ${nulls}, version = version + 1, updated_at = now() where id = ${id}
      returning merchant_uuid, id)
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
    select merchant_uuid, id, 'removal', 'free text erased', ${erased}::jsonb from blanked`.execute(db)
}

/** A column by its name in the interface. */
const camelCase = (column: string) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

type Row = { id: string } & Record<string, string | null>

const left = (removal: Removal, name: string, value: string): string | null =>
  (JSON.parse(redact(JSON.stringify({ [name]: value }), removal.who)) as Record<string, string | null>)[name] ?? null

async function marked(db: Database, removal: Removal, table: keyof typeof COLUMNS, after: string): Promise<Row[]> {
  const [key, columns] = COLUMNS[table]
  const reference = table === 'chargeback' ? 'chargeback_id' : 'reference'
  const { rows } = await sql<Row>`
    select distinct t.${sql.ref(key)}::text as id, ${sql.raw(columns.map((name) => `t.${name}`).join(', '))}
    from erased_reference r
    join ${sql.table(table)} t on t.integration_id = r.integration_id and t.${sql.ref(reference)} = r.reference
    where r.subject_id = ${removal.subjectId} and t.${sql.ref(key)}::text > ${after} order by id limit ${SLICE}`.execute(
    db,
  )
  return rows
}
