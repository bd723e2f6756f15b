import type { SecondPersonFor } from '../../domain/accounts/operator.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'

/** Groups of actions that need a second person in this database. */
export async function secondPersonFor(db: Database): Promise<SecondPersonFor[]> {
  const row = await db.selectFrom('deployment').select('second_person').executeTakeFirst()
  return (row?.second_person ?? []) as SecondPersonFor[]
}

/**
 * Only the owner of the tables can call it: the role of api, worker and operators may not write to this table.
 * @returns the former groups
 * @throws Refusal not_migrated
 */
export async function setSecondPersonFor(db: Database, groups: readonly SecondPersonFor[]): Promise<SecondPersonFor[]> {
  const before = await secondPersonFor(db)
  const { numUpdatedRows } = await db
    .updateTable('deployment')
    .set({ second_person: [...groups] })
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new Refusal('invalid', 'not_migrated', 'The database is not migrated. Run: npm run recoup -- migrate')
  return before
}
