import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { connect } from '../../../db/connect.ts'
import { checkEnvironment } from '../../../db/deployment.ts'
import { migrate } from '../../../db/migrate.ts'
import { startChild } from '../../harness/child.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

/** Test databases belong to the sandbox. */
let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const SENTENCE = /The database belongs to the environment sandbox, and RECOUP_ENVIRONMENT is production/

describe('a database of another environment', () => {
  test('is not migrated, and the command line says why', async () => {
    await using db = disposable(connect(database.url, { max: 1 }))
    await expect(migrate(db, 'production')).rejects.toThrow(SENTENCE)
    await expect(checkEnvironment(db, 'sandbox')).resolves.toBeUndefined()
    const lines: string[] = []
    const out = (text: string) => void lines.push(text)
    const env = { DATABASE_URL: database.url, RECOUP_ENVIRONMENT: 'production' }
    expect(await runCommandLine(['migrate'], { env, out, err: out })).toBe(1)
    expect(lines.join()).toMatch(SENTENCE)
  })

  test.each(['api/main.ts', 'workflows/worker.ts'])('%s does not serve it', async (entry) => {
    const child = startChild(entry, {
      DATABASE_URL: database.url,
      RECOUP_ENVIRONMENT: 'production',
      RECOUP_ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 1).toString('base64')}`,
      RECOUP_API_PORT: '0',
      RECOUP_WORKER_PORT: '0',
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    })
    expect(await child.exited).toBe(1)
    expect(child.lines.join('\n')).toMatch(SENTENCE)
  })
})

const disposable = (db: ReturnType<typeof connect>) => Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() })
