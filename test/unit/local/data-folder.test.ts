import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '../../../local/data-folder.ts'
import { openToOthers } from '../../harness/open-to-others.ts'

test('finding 6: files that an earlier version left readable by everyone become private at the next start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const temporal = join(folder, 'temporal')
  mkdirSync(temporal)
  for (const file of [join(temporal, 'temporal.db'), join(folder, 'stack.json')]) {
    writeFileSync(file, 'text')
    chmodSync(file, 0o644)
  }
  for (const path of [folder, temporal]) chmodSync(path, 0o755)
  expect(openToOthers(folder)).toHaveLength(4)
  openDataFolder(folder).write('kept.json', {})
  expect(openToOthers(folder)).toEqual([])
  expect(statSync(join(temporal, 'temporal.db')).mode & 0o777).toBe(0o600)
})
