import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { codeVersion } from '../../../local/code-version.ts'
import { openDataFolder } from '../../../local/data-folder.ts'
import { provideWorkflowBundle } from '../../../local/workflow-bundle/provide.ts'

const path = mkdtempSync(join(tmpdir(), 'recoup-bundle-'))
const folder = openDataFolder(path)
afterAll(() => rmSync(path, { recursive: true }))

test('the bundle of an earlier start is used again while the code is the same, and made anew for other code', async () => {
  writeFileSync(join(path, 'workflows.js'), 'of an earlier start')
  folder.write('workflows.json', { version: codeVersion() })
  expect(readFileSync(await provideWorkflowBundle(folder), 'utf8')).toBe('of an earlier start')

  folder.write('workflows.json', { version: 'of other code' })
  expect(readFileSync(await provideWorkflowBundle(folder), 'utf8')).toContain('acceptChargeback')
  expect(folder.read('workflows.json')).toEqual({ version: codeVersion() })
})
