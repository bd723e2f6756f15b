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

const homemade = (text: string, terms = TERMS) =>
  terms.flatMap(([word, term]) => {
    const found = word.exec(text.replace(/\s+/g, ' '))?.[0]
    return found === undefined ? [] : [`"${found}": ${term}`]
  })

/** Comments, names and texts of the code; where a word has a second, proper meaning it is left out. */
const code = filesOf('*.ts', '*.ts.txt').filter(
  (path) => !/^test\/(fixtures|histories)\//.test(path) && !/(redaction|plain-words\.test)\.ts$/.test(path),
)
const IN_CODE = /unless|kept aside|up\|gave|tells|spoil|under way|stands|by the way|away|whoever|good/

describe('plain words', () => {
  test('the code uses the terms of the field', () => {
    const terms = TERMS.filter(([word]) => IN_CODE.test(word.source))
    const found = code.flatMap((path) => homemade(read(path), terms).map((word) => `${path}: ${word}`))
    expect(code.length).toBeGreaterThan(400)
    expect(found).toEqual([])
  })

  test.each(files)('%s uses the terms of the field', (path) => {
    expect(homemade(read(path))).toEqual([])
  })

  it('finds a home-made word', () => {
    expect(homemade('it is settled unless told; behind a balancer')).toHaveLength(3)
    expect(homemade('behind a load balancer, resolved by default')).toEqual([])
  })
})
