import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readCliConfig } from '../../../cli/config.ts'

const OWN = 'postgres://127.0.0.1:1/recoup'
const folder = mkdtempSync(join(tmpdir(), 'recoup-cli-'))
writeFileSync(join(folder, 'stack.json'), JSON.stringify({ databaseUrl: OWN }))
writeFileSync(join(folder, 'encryption-keys'), `demo:${Buffer.alloc(32, 7).toString('base64')}\n`)
afterAll(() => rmSync(folder, { recursive: true }))

const configOf = (env: Record<string, string>) => readCliConfig({ RECOUP_DATA_FOLDER: folder, ...env })

test.each([[{}], [{ DATABASE_URL: OWN }]])('the stack’s own database is opened with its own keys (%#)', (env) => {
  expect(configOf(env).databaseUrl).toBe(OWN)
  expect(configOf(env).ring()).toBeDefined()
})

test('another database is never opened with the keys of the local stack', () => {
  const config = configOf({ DATABASE_URL: 'postgres://production.example/recoup' })
  expect(() => config.ring()).toThrow('RECOUP_ENCRYPTION_KEYS is not set')
})
