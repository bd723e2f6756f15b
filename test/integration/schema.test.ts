import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { projectFolder, scriptArguments } from '../../local/run-script.ts'
import { asOwner, createDatabase } from '../harness/database.ts'

const check = (url: string) =>
  spawnSync(process.execPath, [...scriptArguments('scripts/generate.ts'), '--check'], {
    cwd: projectFolder,
    env: { ...process.env, DATABASE_URL: url },
    encoding: 'utf8',
  })

describe('db/schema.ts', () => {
  test('matches the migrations', async () => {
    await using database = await createDatabase()
    expect(check(asOwner(database.url)).stderr).not.toContain('db/schema.ts')
  })

  test('is reported as out of date after a change to a table', async () => {
    await using database = await createDatabase()
    const client = new pg.Client(asOwner(database.url))
    await client.connect()
    await client.query('alter table merchant add column surprise text')
    await client.end()
    const { status, stderr } = check(asOwner(database.url))
    expect(stderr).toContain('Out of date: db/schema.ts')
    expect(status).toBe(1)
  })
})
