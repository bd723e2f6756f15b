import { expect, test } from 'vitest'
import { NOUNS } from '../../../cli/nouns.ts'
import { filesOf, read } from './markdown.ts'

/** Pages that people follow; decisions and results may name what no longer exists. */
const pages = filesOf('*.md').filter((path) => !path.startsWith('docs/decisions/') && path !== 'docs/faults.md')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
/** Variables of the product's processes, and of tests. */
const variables = read('docs/environment.md')
const ofTests = ['containers/compose.ts', 'faults/dispatch/wiped.test.ts', 'faults/exports/large-export.test.ts']
  .map((path) => read(`test/${path}`))
  .join()

/** Names on a page of things that don't exist. */
function unknownNames(text: string): string[] {
  const unknownScripts = [...text.matchAll(/npm run ((?!--)[a-z][a-z:-]*)/g)].filter(
    ([, name = '']) => !(name in scripts),
  )
  const unknownVariables = [...text.matchAll(/\b(?:RECOUP|TEMPORAL)_[A-Z]+(?:_[A-Z]+)*\b(?!_)/g)].filter(
    ([name]) => !variables.includes(`\`${name}\``) && !(name.startsWith('RECOUP_TEST_') && ofTests.includes(name)),
  )
  const unknownCommands = [...text.matchAll(/npm run (?:--silent )?recoup -- ([a-z][a-z-]*)(?:\s+([a-z-]+))?/g)].filter(
    ([, noun = '', verb = '']) => {
      const verbs = NOUNS[noun]
      return !verbs || !(verb in verbs || '' in verbs)
    },
  )
  return [...unknownScripts, ...unknownVariables, ...unknownCommands].map(([name]) => name)
}

test.each(pages)('%s names scripts, variables and commands that exist', (page) => {
  expect(unknownNames(read(page))).toEqual([])
})

test('a script, a variable and a command that don’t exist are found', () => {
  const text =
    '`npm run gone`, RECOUP_GONE, `npm run recoup -- job gone`, `npm run recoup -- job list`, `npm run verify`'
  expect(unknownNames(text)).toEqual(['npm run gone', 'RECOUP_GONE', 'npm run recoup -- job gone'])
})

test('CHANGELOG.md names every migration', () => {
  const text = read('CHANGELOG.md')
  const numbers = filesOf('db/migrations/0*.ts').map((path) => /(\d{4})-/.exec(path)?.[1] ?? '')
  expect(numbers.length).toBeGreaterThan(18)
  // 0001 to 0008 belong to the first version.
  expect(numbers.filter((number) => number > '0008' && !text.includes(number))).toEqual([])
})
