import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { connect } from '../../db/core/connect.ts'
import { createDatabase } from '../harness/database.ts'

describe('a connection that Postgres ends', () => {
  test('between two statements of a transaction fails the next statement, not the process', async () => {
    await using database = await createDatabase()
    const db = connect(database.url, { scope: 'system' })
    const admin = connect(database.url, { scope: 'system' })
    const broken = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 2000)`.execute(admin)
      // Without a listener, the error event of the connection would be unhandled now.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      await sql`select 1`.execute(trx)
    })
    await expect(broken).rejects.toThrow()
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
    await Promise.all([db.destroy(), admin.destroy()])
  })
})
