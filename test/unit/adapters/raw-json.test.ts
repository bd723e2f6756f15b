import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isStorable, sliceJson, sliceMember } from '../../../adapters/shared/raw-json.ts'

describe('cutting objects out of a JSON body', () => {
  test('keeps every byte of an element: spacing, escapes, number spelling', () => {
    const body =
      '{"object":"list", "data" : [ {"a":1.50,"b":"\\u0041 \\"x\\" ]}"} ,\n  {"c":1e30, "d":[{}, []]} ], "has_more":false}'
    expect(sliceJson(body, 'data')).toEqual(['{"a":1.50,"b":"\\u0041 \\"x\\" ]}"}', '{"c":1e30, "d":[{}, []]}'])
  })

  test('elements that are no objects are returned too', () => {
    expect(sliceJson('{"data":["x",1,null,[2],{"a":"\\\\"}]}', 'data')).toEqual([
      '"x"',
      '1',
      'null',
      '[2]',
      '{"a":"\\\\"}',
    ])
  })

  test('a nested member of the same name is ignored', () => {
    expect(sliceJson('{"first":{"data":[1]},"data":[2]}', 'data')).toEqual(['2'])
    expect(sliceMember('{"x":"{\\"data\\":1}","data":{"y":2}}', 'data')).toBe('{"y":2}')
  })

  test('the last of repeated keys counts, like in JSON.parse', () => {
    expect(sliceMember('{"data":1,"data":2}', 'data')).toBe('2')
  })

  test('an empty list is empty, and a missing one is null', () => {
    expect(sliceJson('{"data":[ ]}', 'data')).toEqual([])
    expect(sliceJson('{"other":[]}', 'data')).toBeNull()
    expect(sliceJson('[1]', 'data')).toBeNull()
    expect(sliceJson('{"data":7}', 'data')).toBeNull()
  })

  test('truncated and malformed bodies do not throw', () => {
    for (const body of [
      '{"data":[{"a":"b',
      '{"data":[,]}',
      '{"data":',
      '{"data"',
      '{',
      '',
      '{"data":[1 2]}',
      '{"a" "b"}',
    ]) {
      expect(() => sliceJson(body, 'data')).not.toThrow()
    }
  })

  test('an object nested 10,000 levels deep is returned completely', () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    expect(sliceJson(`{"data":[${deep},2]}`, 'data')).toEqual([deep, '2'])
  })

  test('any list of values is cut into the values that JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (values, space) => {
        const body = JSON.stringify({ object: 'list', data: values, has_more: false }, null, space)
        const slices = sliceJson(body, 'data') ?? []
        expect(slices.map((slice) => JSON.parse(slice))).toEqual(JSON.parse(JSON.stringify(values)))
        for (const slice of slices) expect(body).toContain(slice)
      }),
    )
  })
})

describe('strings that a database can store', () => {
  test('NUL and lone surrogates are rejected, everything else is accepted', () => {
    expect(isStorable('a\u0000b')).toBe(false)
    expect(isStorable(JSON.parse('"\\ud800"'))).toBe(false)
    expect(isStorable('Zoë 🙂 \u0001')).toBe(true)
  })
})
