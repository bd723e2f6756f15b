import { type Kysely, sql } from 'kysely'

/**
 * Creates an index while the table is written to. Repeatable: drops an index that an interrupted attempt left invalid.
 * Only outside of a transaction.
 * @param on table and columns, as after `on` in `create index`
 */
export async function indexConcurrently(db: Kysely<unknown>, name: string, on: string): Promise<void> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  if (rows[0]?.valid) return
  if (rows[0]) await sql`drop index concurrently ${sql.id(name)}`.execute(db)
  await sql`create index concurrently ${sql.id(name)} on ${sql.raw(on)}`.execute(db)
}
