import { describe, expect, it, test } from 'vitest'
import { filesOf, read } from './markdown.ts'

/** Home-made words, each with the term that readers expect. */
const TERMS: [RegExp, string][] = [
  [/\b(unless (given|told))\b/i, 'by default'],
  [/\bkept aside\b/i, 'quarantined, out of scope'],
  [/\b(settl(es?|ed|ing))\b/i, 'resolve, reconcile'],
  [/\b(gives? (it )?up|gave up|giving up|conceded)\b/i, 'accept'],
  [/\b(tells? of|told of)\b/i, 'report'],
  [/\bspoil(t|s)?\b/i, 'malformed'],
  [/\bunder way\b/i, 'running'],
  [/\bstands? (in|there|beside)\b/i, 'is in'],
  [/\bby the way of\b/i, 'through'],
  [/\b(is|are) away\b/i, 'unavailable'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bbalancers?\b(?<!load[ -]balancers?)/i, 'load balancer'],
  [/\bgood (token|credential|signature)\b/i, 'valid'],
]

/** Pages for users and operators, and the texts of the command line. */
const files = filesOf('*.md', 'cli/*.ts', 'scripts/environment.ts').filter(
  (path) =>
    !/^docs\/(decisions\/|faults\.md)/.test(path) && !path.endsWith('BEHAVIOR.md') && path !== 'docs/capabilities.md',
)

const homemade = (text: string) =>
  TERMS.flatMap(([word, term]) => {
    const found = word.exec(text.replace(/\s+/g, ' '))?.[0]
    return found === undefined ? [] : [`"${found}": ${term}`]
  })

describe('plain words', () => {
  test.each(files)('%s uses the terms of the field', (path) => {
    expect(homemade(read(path))).toEqual([])
  })

  it('finds a home-made word', () => {
    expect(homemade('it is settled unless told; behind a balancer')).toHaveLength(3)
    expect(homemade('behind a load balancer, resolved by default')).toEqual([])
  })
})
