import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { codeVersion } from '../../../local/compiled-code/code-version.mjs'

const folder = mkdtempSync(join(tmpdir(), 'recoup-code-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['console', 'files', 'simulators', 'webhooks'])('a new file in %s changes the version', (part) => {
  const before = codeVersion(folder)
  mkdirSync(join(folder, part))
  writeFileSync(join(folder, part, 'one.ts'), 'new')
  expect(codeVersion(folder)).not.toBe(before)
})

test('updated code changes the version, but a file that is not code does not', () => {
  mkdirSync(join(folder, 'api', 'routes'), { recursive: true })
  writeFileSync(join(folder, 'api', 'routes', 'one.ts'), 'old')
  const before = codeVersion(folder)
  writeFileSync(join(folder, 'notes.md'), 'no code')
  expect(codeVersion(folder)).toBe(before)
  writeFileSync(join(folder, 'api', 'routes', 'one.ts'), 'newer')
  expect(codeVersion(folder)).not.toBe(before)
})
