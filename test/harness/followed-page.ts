import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../local/run-command.ts'
import { projectFolder } from '../../local/run-script.ts'

/** A fenced block of a page that readers follow: its section, its language, the rest of that line, and its text. */
export interface Block {
  section: string
  language: string
  argument: string
  text: string
}

/** All fenced code blocks of a page in `docs/`, from top to bottom. */
export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(projectFolder, 'docs', page), 'utf8')
  return text.split(/^## /m).flatMap((section) =>
    [...section.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', argument = '', block = '']) => ({
      section: section.slice(0, section.indexOf('\n')),
      ...{ language, argument, text: block },
    })),
  )
}

/** A reader does not change these. */
export const LEFT_OUT = ['node_modules', '.git', '.recoup', 'coverage', 'build']

export interface Copy {
  folder: string
  remove(): void
}

/** The project's files in a folder where they can be changed, with the same packages. */
export function copyOfProject(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-page-'))
  const left = LEFT_OUT.map((name) => join(projectFolder, name))
  cpSync(projectFolder, folder, { recursive: true, filter: (path) => !left.includes(path) })
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'dir')
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * Applies a `diff` or `ts` block to the copy. Context and removed lines must be in the file, each hunk after the
 * previous one; `@@` stands for any lines in between.
 * @throws if the file does not contain them
 */
export function follow({ folder }: Copy, { language, argument: path, text: change }: Block): void {
  const file = join(folder, path)
  if (language === 'ts') {
    writeFileSync(file, change)
    return
  }
  let text = readFileSync(file, 'utf8')
  let from = 0
  for (const hunk of change.split(/^@@.*\n/m)) {
    const lines = hunk.split('\n').slice(0, -1)
    const pick = (marks: string) =>
      lines.flatMap((line) => (marks.includes(line[0] ?? ' ') ? [`${line.slice(1)}\n`] : [])).join('')
    const [before, after] = [pick(' -'), pick(' +')]
    const start = text.indexOf(before, from)
    if (start < 0) throw new Error(`${path} does not contain, in this order:\n${before}`)
    text = text.slice(0, start) + after + text.slice(start + before.length)
    from = start + after.length
  }
  writeFileSync(file, text)
}

const { FORCE_COLOR: _, ...environment } = process.env

/** Runs the commands of a `sh` block in the copy, up to the first that fails. */
export async function runLines({ folder }: Copy, { text }: Block): Promise<{ code: number | null; output: string }> {
  let last = { code: 0 as number | null, output: '' }
  for (const line of text.trim().split('\n')) {
    const env = { ...environment, NO_COLOR: '1' }
    last = await runCommand('sh', ['-c', line], { cwd: folder, timeoutMs: 300_000, env })
    if (last.code !== 0) return last
  }
  return last
}
