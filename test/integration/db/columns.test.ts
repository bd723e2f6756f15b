import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COLUMNS, type Column } from '../../../db/chargebacks/columns.ts'
import { connect } from '../../../db/core/connect.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

describe('the table of columns', () => {
  test.each(Object.entries<Column>(COLUMNS))(
    'describes %s as it is in the database',
    async (_, { column, kind, null: empty }) => {
      await using db = connect(database.url, { scope: 'system', max: 1 })
      const { rows } = await sql<{ type: string; nullable: boolean }>`
      select format_type(atttypid, null) as type, not attnotnull as nullable, to_regtype(${kind.sql})::text as said
      from pg_attribute where attrelid = 'chargeback'::regclass and attname = ${column} and not attisdropped`.execute(
        db,
      )
      expect(rows).toEqual([{ type: expect.any(String), nullable: empty ?? false, said: rows[0]?.type }])
    },
  )
})
