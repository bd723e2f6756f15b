import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operations } from '../../interface/document.ts'

/** Operation and links of each row of the README's table of the interface. */
const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\| ?\d* \| `([A-Z]+ \/[^`]*)` \|[^|]*\|(.*)\|$/gm)].map(
  ([, name = '', links = '']) => ({ name, links: [...links.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path) }),
)

it('the README’s table has every operation of the description, once', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(operations.map(({ name }) => name).sort())
})

it.each(rows)('the README links $name to tests that exist and are about it', ({ name, links }) => {
  expect(links.length).toBeGreaterThan(0)
  for (const path of links) {
    expect(path).toMatch(/\.test\.ts$/)
    expect(existsSync(path), path).toBe(true)
  }
  // The words of the path, but for ids, stand in one of them.
  const words = name.match(/(?<=\/)[a-z-]+/g) ?? []
  const texts = links.map((path) => readFileSync(path, 'utf8'))
  expect(
    texts.some((text) => words.every((word) => text.includes(word))),
    words.join(' '),
  ).toBe(true)
})
