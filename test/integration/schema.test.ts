import { spawnSync } from 'node:child_process'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { projectFolder, scriptArguments } from '../../local/run-script.ts'
import { generateSchema } from '../../scripts/schema.ts'
import { asOwner, createDatabase } from '../harness/database.ts'

describe('db/schema.ts', () => {
  test('matches the migrations', async () => {
    await using database = await createDatabase()
    expect(await generateSchema(asOwner(database.url), { check: true })).toBe(true)
  })

  test('is reported as out of date after a change to a table', async () => {
    await using database = await createDatabase()
    const client = new pg.Client(asOwner(database.url))
    await client.connect()
    await client.query('alter table merchant add column surprise text')
    await client.end()
    const { status, stderr } = spawnSync(process.execPath, [...scriptArguments('scripts/generate.ts'), '--check'], {
      cwd: projectFolder,
      env: { ...process.env, DATABASE_URL: asOwner(database.url) },
      encoding: 'utf8',
    })
    expect(stderr).toContain('Out of date: db/schema.ts')
    expect(status).toBe(1)
  })
})
