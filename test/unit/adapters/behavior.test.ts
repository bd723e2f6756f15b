import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'

/**
 * Each surprise in a BEHAVIOR.md names its test: `file "part of its title"; kit suite "part of its title"`. Fails if
 * that test was renamed or deleted.
 */
const folderOf = (source: string) => (source === 'recoup_sandbox' ? 'sandbox' : source)

interface Row {
  surprise: string
  named: string
}

/** Rows of the tables whose last column is headed `test`. */
function rowsOf(markdown: string): Row[] {
  const rows: Row[] = []
  let inTable = false
  for (const line of markdown.split('\n')) {
    const cells = line.trim().startsWith('|')
      ? line
          .trim()
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim())
      : []
    if (cells.length === 0) inTable = false
    else if (cells.at(-1) === 'test') inTable = true
    else if (inTable && !/^[-: ]+$/.test(cells[0] ?? ''))
      rows.push({ surprise: cells[0] ?? '', named: cells.at(-1) ?? '' })
  }
  return rows
}

const plain = (text: string) =>
  text
    .replaceAll(/[\\_*`]/g, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()

/** Text of the file that a name stands for, and of what the conformance kit runs under it. */
function sourcesOf(psp: string, name: string): string | null {
  const suite = name.replace(/^kit( |$)/, '')
  const candidates = name.startsWith('kit')
    ? suite === '' || suite === 'skip'
      ? readdirSync('adapters/conformance/suites').map((file) => `adapters/conformance/suites/${file}`)
      : [`adapters/conformance/suites/${suite.replaceAll(' ', '-')}.ts`]
    : [
        `test/unit/adapters/${psp}/${name}.test.ts`,
        `test/unit/adapters/${name}.test.ts`,
        `test/integration/notifications/${name}.test.ts`,
        // With its folder: `simulators/sandbox/index`, `workflows/verification`.
        ...(name.includes('/') ? [`test/unit/${name}.test.ts`, `test/integration/${name}.test.ts`] : []),
      ]
  const found = [...candidates, ...(suite === 'skip' ? [`simulators/${psp}/subject.ts`] : [])].filter(existsSync)
  return found.length === 0 ? null : plain(found.map((file) => readFileSync(file, 'utf8')).join('\n'))
}

/** `file "words", "words"; kit suite` as file and words. */
function references(named: string): { file: string; words: string[] }[] {
  return named.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((part) => ({
    file:
      part
        .split('"')[0]
        ?.replace(/[, ]+$/, '')
        .trim()
        .replace(/ (table|rows)$/, '') ?? '',
    words: [...part.matchAll(/"([^"]+)"/g)].map((match) => plain(match[1] ?? '')),
  }))
}

describe.each([...new Set(adapters().map(({ source }) => folderOf(source)))])('BEHAVIOR.md of %s', (psp) => {
  const rows = rowsOf(readFileSync(`adapters/${psp}/BEHAVIOR.md`, 'utf8'))

  test('has rows', () => expect(rows.length).toBeGreaterThan(10))

  test('names a test in each row', () => {
    // A reference to a whole suite of the kit is enough; a file needs a part of a title.
    const isTest = ({ file, words }: { file: string; words: string[] }) => words.length > 0 || file.startsWith('kit ')
    const without = rows.filter(({ named }) => !references(named).some(isTest)).map(({ surprise }) => surprise)
    expect(without).toEqual([])
  })

  test('names tests that exist', () => {
    const missing = rows.flatMap(({ surprise, named }) => {
      return references(named).flatMap(({ file, words }) => {
        const text = sourcesOf(psp, file)
        if (text === null) return [`${surprise.slice(0, 60)}: there is no test file "${file}"`]
        return words.filter((word) => !text.includes(word.replaceAll('%s', ''))).map((word) => `${file} "${word}"`)
      })
    })
    expect(missing).toEqual([])
  })

  test('says how commands end in the words of the interface', () => {
    const table = /\| PSP state before our call \|.*\n(\|.*\n)+/.exec(
      readFileSync(`adapters/${psp}/BEHAVIOR.md`, 'utf8'),
    )?.[0]
    const [head = [], , ...ends] = (table ?? '')
      .trim()
      .split('\n')
      .map((line) => line.slice(1, -1).split(' | '))
    expect(head.map((cell) => cell.trim())).toEqual([
      ...['PSP state before our call', 'command', 'ours was sent', 'outcome', 'why'],
    ])
    expect(ends.length).toBeGreaterThan(8)
    const [outcome, sent] = [3, 2].map((index) => ends.map((cells) => cells[index]?.trim() ?? ''))
    const known = /^(succeeded|failed|goes on|inProgress)\b/
    expect(outcome?.filter((cell) => !cell.split(' / ').every((part) => known.test(part)))).toEqual([])
    expect(sent?.filter((cell) => !/^(no|yes|maybe)\b/.test(cell))).toEqual([])
    // Where nothing was sent, the PSP itself has to say that the dispute was accepted, or show our mark.
    const found = ends.filter((cells) => /\bno\b/.test(cells[2] ?? '') && /^succeeded/.test(cells[3] ?? ''))
    expect(found.filter(([state = '', , , , why = '']) => !/accept|our mark/i.test(`${state} ${why}`))).toEqual([])
  })
})
