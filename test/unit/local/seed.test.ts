import { expect, test } from 'vitest'
import type { Database } from '../../../db/core/connect.ts'
import type { DataFolder } from '../../../local/data-folder.ts'
import { ensureDemo } from '../../../local/seed.ts'

test('a database is not seeded again if the query for the demo fails', async () => {
  const query = {
    select: () => query,
    where: () => query,
    executeTakeFirst: () => Promise.reject(new Error('too many connections')),
  }
  const insertInto = () => {
    throw new Error('seeded again')
  }
  const db = { isTransaction: true, selectFrom: () => query, insertInto } as unknown as Database
  const folder = { read: () => ({ accountId: 'a', environment: 'sandbox' }) } as unknown as DataFolder
  const options = { environment: 'sandbox', empty: true } as const
  await expect(ensureDemo(db, {} as never, folder, options)).rejects.toThrow('too many connections')
})
