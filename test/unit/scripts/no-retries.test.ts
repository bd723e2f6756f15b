import { expect, test } from 'vitest'
import config from '../../../vitest.config.ts'
import { filesOf, read } from '../docs/markdown.ts'

/** A number of retries in options of a test, a describe or a project, or on the command line. */
const RETRIES = /\bretry: *[1-9]|--retry[ =][1-9]/

test('no project runs a failed test again', () => {
  const projects = (config.test?.projects ?? []) as { test: { retry?: number } }[]
  expect(projects.length).toBeGreaterThan(3)
  expect([config.test?.retry, ...projects.map(({ test: { retry } }) => retry ?? 0)].every((retry) => retry === 0)).toBe(
    true,
  )
})

test('no test and no script asks for a retry', () => {
  const paths = [...filesOf('*.test.ts'), 'package.json', '.ci/run', 'test/run.ts']
  expect(paths.length).toBeGreaterThan(200)
  expect(paths.filter((path) => RETRIES.test(read(path)))).toEqual([])
})

test('a retry is found', () => {
  // Not written out, because this file is searched too.
  const [once, twice] = [1, 2]
  expect([`{ retry: ${once} }`, `vitest --retry=${twice}`].every((text) => RETRIES.test(text))).toBe(true)
  expect(RETRIES.test('{ retry: 0 }')).toBe(false)
})
