import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf, type Copy, copyOfProject, follow, runLines } from '../../harness/followed-page.ts'

let copy: Copy
beforeAll(() => {
  copy = copyOfProject()
})
afterAll(() => copy.remove())

describe('docs/changing.md, followed to the letter', () => {
  test.each(blocksOf('changing.md'))(
    '$section: $language $argument',
    async (block) => {
      if (block.language !== 'sh') return follow(copy, block)
      const { code, output } = await runLines(copy, block)
      expect(code, output).toBe(0)
    },
    300_000,
  )
})
