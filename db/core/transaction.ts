import type { Database } from './connect.ts'

/** Runs `work` in the caller's transaction if there is one, else in a new one. */
export function inTransaction<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
