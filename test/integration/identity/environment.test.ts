import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { connect } from '../../../db/core/connect.ts'
import { OtherEnvironment, refuseOtherEnvironment } from '../../../db/core/environment.ts'
import { migrate, migrator, pendingMigrations } from '../../../db/core/migrate.ts'
import { startChild } from '../../harness/child.ts'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../harness/database.ts'
import { workflowBundle } from '../../harness/workflow-bundle.ts'

/** Test databases belong to the sandbox. */
let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const KEYS = `k:${Buffer.alloc(32, 1).toString('base64')}`
const MESSAGE = /The database belongs to the environment sandbox, and RECOUP_ENVIRONMENT is production/

test('a migration stores the environment in the database, once', async () => {
  await using empty = await createEmptyDatabase()
  await using db = disposable(connect(empty.url, { scope: 'owner', max: 1 }))
  expect(await refuseOtherEnvironment(db.pool, 'sandbox')).toBe(false)
  await migrate(db, 'production')
  expect(await db.selectFrom('deployment').select('environment').execute()).toEqual([{ environment: 'production' }])
  await expect(migrate(db, 'sandbox')).rejects.toThrow(OtherEnvironment)
})

describe('a database of another environment', () => {
  test('is not migrated, not even in part', async () => {
    await using older = await createEmptyDatabase()
    await using db = disposable(connect(older.url, { scope: 'owner', max: 1 }))
    await migrator(db).migrateTo('0011-key-rotation')
    await db.insertInto('deployment').values({ environment: 'sandbox' }).execute()
    const pending = await pendingMigrations(db)
    await expect(migrate(db, 'production')).rejects.toThrow(MESSAGE)
    expect(await pendingMigrations(db)).toEqual(pending)
  })

  test.each([['migrate'], ['account list'], ['key rotate --reason test'], ['integration list']])(
    'the command line says why "%s" does nothing',
    async (command) => {
      const lines: string[] = []
      const out = (text: string) => void lines.push(text)
      const env = { DATABASE_URL: database.url, RECOUP_ENVIRONMENT: 'production', RECOUP_ENCRYPTION_KEYS: KEYS }
      expect(await runCommandLine(command.split(' '), { env, out, err: out })).toBe(1)
      expect(lines.join()).toMatch(MESSAGE)
    },
  )

  test('refuses each statement of a process of another environment', async () => {
    await using db = disposable(connect(database.url, { scope: 'owner', max: 1, environment: 'production' }))
    await expect(db.selectFrom('account').selectAll().execute()).rejects.toThrow(MESSAGE)
  })

  test.each(['api/main.ts', 'workflows/worker/main.ts'])('%s refuses to start with it', async (entry) => {
    const child = startChild(entry, {
      DATABASE_URL: database.url,
      RECOUP_ENVIRONMENT: 'production',
      RECOUP_ENCRYPTION_KEYS: KEYS,
      RECOUP_API_PORT: '0',
      RECOUP_API_METRICS_PORT: '0',
      RECOUP_WORKER_PORT: '0',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
      RECOUP_WORKFLOW_BUNDLE: await workflowBundle(),
    })
    expect(await child.exited).toBe(1)
    expect(child.lines.join('\n')).toMatch(MESSAGE)
  })
})

const disposable = (db: ReturnType<typeof connect>) => Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() })
