import { sql } from 'kysely'
import type { Database } from './connect.ts'

/** Postgres' current time, for decisions made inside `db/`. */
export async function readTime(db: Database): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  return (rows[0] as { at: Date }).at
}
