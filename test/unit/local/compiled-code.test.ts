import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { codeVersion } from '../../../local/compiled-code/code-version.mjs'
import { provideCompiledCode } from '../../../local/compiled-code/provide.mjs'
import { projectFolder } from '../../../local/run-script.ts'

const all = mkdtempSync(join(tmpdir(), 'recoup-code-'))
afterAll(() => rmSync(all, { recursive: true }))

test('code is compiled once for each version, by one of those that want it, and old versions are removed', async () => {
  for (const day of [1, 2, 3, 4, 5, 6]) {
    const old = join(all, `old-${day}`)
    mkdirSync(old)
    utimesSync(old, new Date(2026, 0, day), new Date(2026, 0, day))
  }
  const [code, other] = await Promise.all([1, 2].map(() => provideCompiledCode(projectFolder, all)))
  if (!code) throw new Error('no folder')
  expect(other).toBe(code)
  expect(basename(code)).toBe(codeVersion(projectFolder))
  const entries = ['local/main', 'local/simulators', 'api/main', 'workflows/worker/main'].map((name) => `${name}.js`)
  for (const entry of [...entries, 'files/start.mjs', 'files/evidence/template.typ'])
    expect(existsSync(join(code, entry)), entry).toBe(true)
  const kept = readdirSync(all)
  expect(kept).toEqual(expect.arrayContaining([basename(code), 'old-5', 'old-6']))
  expect(kept.length).toBeLessThanOrEqual(5)

  writeFileSync(join(code, 'mark'), '')
  expect(await provideCompiledCode(projectFolder, all)).toBe(code)
  expect(existsSync(join(code, 'mark'))).toBe(true)
})
