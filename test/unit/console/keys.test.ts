import { expect, test } from 'vitest'
import { createKeys } from '../../../console/app/keys.ts'

function keysWith(names: string[]) {
  let now = 0
  const acted: string[] = []
  const keys = createKeys(
    () => names.map((name) => ({ keys: name, what: name, act: () => acted.push(name) })),
    () => now,
  )
  return { press: keys.press, acted, later: (ms: number) => (now += ms) }
}

test('a key acts, and an unknown one is left to the browser', () => {
  const { press, acted } = keysWith(['j', '?'])
  expect([press('j'), press('z'), press('?')]).toEqual([true, false, true])
  expect(acted).toEqual(['j', '?'])
})

test('two keys act one after the other, soon enough, and the second alone does what it does alone', () => {
  const { press, acted, later } = keysWith(['g q', 'q'])
  press('g')
  press('q')
  press('q')
  press('g')
  later(2_000)
  press('q')
  expect(acted).toEqual(['g q', 'q', 'q'])
})
