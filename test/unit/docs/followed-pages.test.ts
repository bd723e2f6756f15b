import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../../local/run-script.ts'
import { namesOf, writeSkeleton } from '../../../scripts/adapter-skeleton.ts'
import { type Block, blocksOf, type Copy, copyOfProject, follow } from '../../harness/followed-page.ts'

// npm run test:full also runs the commands on these pages: test/unit/scripts/{adapter-new,changing}.test.ts.
let copy: Copy
beforeAll(() => {
  copy = copyOfProject()
  writeSkeleton(copy.folder, namesOf('toypay'))
})
afterAll(() => copy.remove())

const changesOf = (page: string) => blocksOf(page).filter(({ language }) => language !== 'sh')

describe('docs/adapters.md', () => {
  test.each(changesOf('adapters.md'))('$language $argument fits the files as they are', (block) => follow(copy, block))
})

describe('docs/changing.md', () => {
  const blocks = changesOf('changing.md')
  test.each(blocks)('$section: $language $argument fits the files as they are', (block) => follow(copy, block))

  test('counts the files of each change', () => {
    const filesOf = (title: string) => [
      ...new Set(
        blocks
          .filter(({ section, argument }) => section === title && !argument.startsWith('test/'))
          .map(({ argument }) => argument),
      ),
    ]
    expect(filesOf('Add a field')).toHaveLength(4)
    expect(filesOf('Add a rule').length).toBeLessThanOrEqual(4)
    expect(filesOf('Change a retry')).toHaveLength(1)
  })

  test('names the places of a PSP as docs/adapters.md does', () => {
    for (const page of ['adapters.md', 'changing.md'])
      expect(readFileSync(join(projectFolder, 'docs', page), 'utf8')).toMatch(/three places/i)
  })
})

test('a change that no longer fits is found', () => {
  const block: Block = { section: '', language: 'diff', argument: 'adapters/registry.ts', text: '-never there\n+new\n' }
  expect(() => follow(copy, block)).toThrow('adapters/registry.ts does not contain')
})

describe('npm run adapter:new', () => {
  test('overwrites nothing', () => {
    expect(() => writeSkeleton(copy.folder, namesOf('stripe'))).toThrow('exists already. Nothing was written.')
  })

  test.each(['Shop', 'shop-pay', '../stripe', 'shop__pay', ''])('refuses the name "%s"', (name) => {
    expect(() => namesOf(name)).toThrow(/is no name of a source/)
  })

  test('a name of two words has the right form in each place', () => {
    expect(namesOf('shop_pay')).toEqual({
      source: 'shop_pay',
      folder: 'shop-pay',
      camel: 'shopPay',
      pascal: 'ShopPay',
      variable: 'SHOPPAY',
    })
  })
})
