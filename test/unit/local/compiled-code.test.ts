import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { codeVersion } from '../../../local/code-version.ts'
import { provideCompiledCode } from '../../../local/compiled-code/provide.ts'
import { openDataFolder } from '../../../local/data-folder.ts'

const path = mkdtempSync(join(tmpdir(), 'recoup-code-'))
const folder = openDataFolder(path)
afterAll(() => rmSync(path, { recursive: true }))

test('code compiled at an earlier start is used again while it is the same, and compiled anew for other code', async () => {
  const old = join(path, 'code', 'of an earlier start')
  mkdirSync(old, { recursive: true })
  folder.write('code.json', { version: codeVersion() })
  await provideCompiledCode(folder)
  expect(existsSync(old)).toBe(true)

  folder.write('code.json', { version: 'of other code' })
  const code = await provideCompiledCode(folder)
  expect(existsSync(old)).toBe(false)
  for (const entry of ['api/main.js', 'workflows/worker/main.js', 'files/start.mjs', 'files/evidence/template.typ'])
    expect(existsSync(join(code, entry))).toBe(true)
  expect(folder.read('code.json')).toEqual({ version: codeVersion() })
})
