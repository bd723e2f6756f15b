import type { Database } from './connect.ts'

/** Runs `work` in the caller's transaction when there is one, else in one of its own. */
export function inTransaction<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work)
}
