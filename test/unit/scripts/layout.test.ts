import { describe, expect, test } from 'vitest'
import { folderFaults, layoutFaults } from '../../../scripts/layout.ts'

const lines = (count: number) => 'x\n'.repeat(count)

describe('layout', () => {
  test('250 lines are fine, 251 are not', () => {
    expect(layoutFaults([{ path: 'api/a.ts', text: lines(250) }])).toEqual([])
    expect(layoutFaults([{ path: 'api/a.ts', text: lines(251) }])).toEqual([
      'api/a.ts has 251 lines, 250 is the ceiling: split it by subject',
    ])
  })

  test('25 files in a folder are fine, 26 are not, whatever is below it', () => {
    const files = (count: number, folder: string) =>
      Array.from({ length: count }, (_, index) => `${folder}/${index}.md`)
    expect(folderFaults([...files(25, 'api'), ...files(25, 'api/http'), ...files(40, 'docs/decisions')])).toEqual([])
    expect(folderFaults(files(26, 'api'))).toEqual(['api has 26 files, 25 is the ceiling: split it by subject'])
  })

  test('generated types and migrations may be long', () => {
    const text = lines(900)
    expect(
      layoutFaults([
        { path: 'db/schema.ts', text },
        { path: 'db/migrations/0001-initial.ts', text },
      ]),
    ).toEqual([])
  })

  test.each(['api/utils.ts', 'helpers/a.ts', 'db/common.ts', 'domain/types.ts'])(
    '%s does not name its subject',
    (path) => {
      expect(layoutFaults([{ path, text: '' }])).toEqual([`${path}: name it after its subject`])
    },
  )

  test('names are kebab-case', () => {
    expect(layoutFaults([{ path: 'api/myRoute.ts', text: '' }])).toEqual(['api/myRoute.ts: file names are kebab-case'])
    expect(layoutFaults([{ path: 'test/unit/my-route.test.ts', text: '' }])).toEqual([])
  })
})
