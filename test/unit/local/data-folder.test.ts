import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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

test('what a link in the folder leads to keeps its mode', () => {
  const [folder, other] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'recoup-folder-'))) as [string, string]
  onTestFinished(() => [folder, other].forEach((path) => void rmSync(path, { recursive: true })))
  const program = join(other, 'program')
  writeFileSync(program, '')
  chmodSync(program, 0o755)
  mkdirSync(join(folder, 'temporal'))
  symlinkSync(other, join(folder, 'temporal', 'link'), 'dir')
  openDataFolder(folder)
  expect(statSync(program).mode & 0o777).toBe(0o755)
})
