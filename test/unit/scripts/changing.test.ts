import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../local/run-command.ts'
import { projectFolder } from '../../../local/run-script.ts'

/** A fenced block of docs/changing.md: its section, its language, the file that it is about, and its lines. */
interface Block {
  section: string
  language: string
  path: string
  text: string
}

const [, ...sections] = readFileSync(join(projectFolder, 'docs', 'changing.md'), 'utf8').split(/^## /m)
const blocks: Block[] = sections.flatMap((section) =>
  [...section.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', path = '', text = '']) => ({
    section: section.slice(0, section.indexOf('\n')),
    ...{ language, path, text },
  })),
)
/** Files that a section changes, its tests left out. */
const filesOf = (title: string) => [
  ...new Set(
    blocks
      .filter(({ section, path }) => section === title && path && !path.startsWith('test/'))
      .map(({ path }) => path),
  ),
]

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'recoup-changing-'))
  const left = ['node_modules', '.git', '.recoup', 'coverage'].map((name) => join(projectFolder, name))
  cpSync(projectFolder, copy, { recursive: true, filter: (path) => !left.includes(path) })
  symlinkSync(join(projectFolder, 'node_modules'), join(copy, 'node_modules'), 'dir')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const { FORCE_COLOR: _, ...environment } = process.env

async function run(line: string): Promise<void> {
  const env = { ...environment, NO_COLOR: '1' }
  const { code, output } = await runCommand('sh', ['-c', line], { cwd: copy, timeoutMs: 150_000, env })
  expect(code, `${line}\n${output}`).toBe(0)
}

/** Context and lines with a minus stand in the file; `@@` stands for any lines in between. */
function change(path: string, diff: string): void {
  const file = join(copy, path)
  let text = readFileSync(file, 'utf8')
  let from = 0
  for (const hunk of diff.split(/^@@.*\n/m)) {
    const lines = hunk.split('\n').slice(0, -1)
    const pick = (marks: string) =>
      lines.flatMap((line) => (marks.includes(line[0] ?? ' ') ? [`${line.slice(1)}\n`] : [])).join('')
    const [before, after] = [pick(' -'), pick(' +')]
    const start = text.indexOf(before, from)
    expect(start, `${path} does not contain:\n${before}`).toBeGreaterThanOrEqual(0)
    text = text.slice(0, start) + after + text.slice(start + before.length)
    from = start + after.length
  }
  writeFileSync(file, text)
}

describe('docs/changing.md', () => {
  test('counts the files of each change', () => {
    expect(filesOf('Add a field')).toHaveLength(4)
    expect(filesOf('Add a rule').length).toBeLessThanOrEqual(4)
    expect(filesOf('Change a retry')).toHaveLength(1)
  })

  test('names the places of a PSP as docs/adapters.md does', () => {
    const adapters = readFileSync(join(projectFolder, 'docs', 'adapters.md'), 'utf8')
    const psp = sections.find((section) => section.startsWith('Add a PSP'))
    for (const text of [adapters, psp]) expect(text).toMatch(/three places/i)
  })

  test.each(blocks)(
    '$section: $language $path',
    async ({ language, path, text }) => {
      if (language === 'diff') return change(path, text)
      if (language === 'ts') return writeFileSync(join(copy, path), text)
      expect(language).toBe('sh')
      for (const line of text.trim().split('\n')) await run(line)
    },
    300_000,
  )
})
