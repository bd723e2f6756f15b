import { existsSync } from 'node:fs'
import { join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { operations } from '../../interface/document.ts'
import { linksOf, read } from './markdown.ts'

interface Row {
  name: string
  cells: string[]
}

/** Table rows of an operation: the cells after its name. */
const rowsOf = (page: string): Row[] =>
  [...read(page).matchAll(/^\|(?: ?\d* \|)? `([A-Z]+ \/[^`]*)` \|(.*)\|$/gm)].map(([, name = '', rest = '']) => ({
    name,
    cells: rest.split('|').map((cell) => cell.trim()),
  }))

const described = operations.map(({ name }) => name).sort()

describe('docs/interface.md', () => {
  const rows = rowsOf('docs/interface.md')

  it('has every operation of the description, once', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(described)
  })

  it('names the role that each needs', () => {
    const roles = operations.map((operation) => [operation.name, (operation as { 'x-role'?: string })['x-role']])
    const expected = Object.fromEntries(roles.map(([name, role]) => [name, role === undefined ? '–' : `\`${role}\``]))
    expect(Object.fromEntries(rows.map(({ name, cells }) => [name, cells[0]]))).toEqual(expected)
  })

  it('names no error code that the service lacks', () => {
    const known = JSON.stringify(operations)
    const codes = [...read('docs/interface.md').matchAll(/^\| `([a-z]+(?:_[a-z]+)+)` \| [^`]/gm)].map(
      ([, code]) => code,
    )
    expect(codes.length).toBeGreaterThan(10)
    const statuses = ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented']
    expect(codes.filter((code = '') => !statuses.includes(code) && !known.includes(`\`${code}\``))).toEqual([])
  })
})

describe('docs/testing.md', () => {
  const rows = rowsOf('docs/testing.md').map(({ name, cells }) => ({
    name,
    links: linksOf(cells.join('|')).map((link) => join('docs', link)),
  }))

  it('has every operation of the description, once', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(described)
  })

  it.each(rows)('links $name to tests that exist and are about it', ({ name, links }) => {
    expect(links.length).toBeGreaterThan(0)
    for (const path of links) {
      expect(path).toMatch(/\.test\.ts$/)
      expect(existsSync(path), path).toBe(true)
    }
    // At least one cell contains the words of the path, ids excepted.
    const words = name.match(/(?<=\/)[a-z-]+/g) ?? []
    const texts = links.map(read)
    expect(
      texts.some((text) => words.every((word) => text.includes(word))),
      words.join(' '),
    ).toBe(true)
  })
})
