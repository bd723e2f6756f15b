import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { depthOf } from '../../../api/body.ts'
import { issuesSentence } from '../../../api/validation.ts'

describe('the depth of a body', () => {
  it.each([
    ['', 0],
    ['"[[["', 0],
    ['"\\"[["', 0],
    ['[]', 1],
    ['{"a":[{"b":"}]"}]}', 3],
    ['[[[', 3],
    [']]]]', 0],
  ])('of %s is %d', (text, depth) => {
    expect(depthOf(text)).toBe(depth)
  })

  it('is that of the value, whatever JSON it is', () => {
    const measure = (value: unknown): number =>
      value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(measure)) : 0
    fc.assert(fc.property(fc.jsonValue(), (value) => depthOf(JSON.stringify(value)) === measure(value)))
  })
})

describe('the sentence of a validation', () => {
  it('names each field by its path, once, and missing ones as required', () => {
    const sentence = issuesSentence([
      { path: ['limit'], message: 'Must be 10' },
      { path: ['limit'], message: 'Must be 10' },
      { path: ['secret', 'keys', 0], message: 'Invalid input: expected string, received undefined' },
      { code: 'unrecognized_keys', path: [], keys: ['a', 'b'], message: '' },
      { path: [], message: 'Invalid input' },
    ])
    expect(sentence).toBe(
      'limit: Must be 10; secret.keys.0: Required; a: Unknown field; b: Unknown field; body: Invalid input',
    )
  })
})
