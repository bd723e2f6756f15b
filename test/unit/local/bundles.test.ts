import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { provideBundles } from '../../../local/bundles/provide.ts'
import { provideCompiledCode } from '../../../local/compiled-code/provide.mjs'
import { projectFolder } from '../../../local/run-script.ts'

const all = mkdtempSync(join(tmpdir(), 'recoup-bundles-'))
afterAll(() => rmSync(all, { recursive: true }))

test('workflows and console are bundled once for compiled code, also by two starts at a time', async () => {
  const code = await provideCompiledCode(projectFolder, all)
  const { provideBundles: fromCompiled } = (await import(
    join(code, 'local', 'bundles', 'provide.js')
  )) as typeof import('../../../local/bundles/provide.ts')
  const [workflows = ''] = await Promise.all([fromCompiled(code), fromCompiled(code)])
  expect(readFileSync(workflows, 'utf8')).toContain('acceptChargeback')
  expect(readdirSync(join(code, 'api', 'console', 'bundle'))).toContain('manifest.json')
  expect(readdirSync(join(code, 'api', 'console')).filter((name) => name.startsWith('bundle.'))).toEqual(['bundle.js'])

  writeFileSync(workflows, 'of npm install')
  expect(await provideBundles(code)).toBe(workflows)
  expect(readFileSync(workflows, 'utf8')).toBe('of npm install')
})
