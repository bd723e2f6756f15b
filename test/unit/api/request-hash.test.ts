import { describe, expect, it } from 'vitest'
import { requestHash } from '../../../api/http/request-hash.ts'

const url = 'http://localhost/v1/files'
const form = (boundary: string, content = 'text', type = `multipart/form-data; boundary=${boundary}`) =>
  requestHash({
    method: 'POST',
    url,
    contentType: type,
    body: Buffer.from(
      [`--${boundary}`, 'Content-Disposition: form-data; name="a"', '', content, `--${boundary}--`, ''].join('\r\n'),
    ),
  }).toString('hex')

describe('the hash of a request with an Idempotency-Key', () => {
  it('is the same for a form with another boundary, quoted or not', () => {
    const same = [
      form('one'),
      form('another'),
      form('a b', 'text', 'multipart/form-data; boundary="a b"'),
      form('two', 'text', 'Multipart/Form-Data;charset=utf-8;boundary=two'),
    ]
    expect(new Set(same).size).toBe(1)
  })

  it('differs for other content, even if it looks like a boundary', () => {
    expect(new Set([form('one'), form('one', 'other'), form('one', '--boundary'), form('one', '')]).size).toBe(4)
  })

  const json = (text: string, contentType = 'application/json') =>
    requestHash({ method: 'POST', url, contentType, body: Buffer.from(text) }).toString('hex')

  it('is the same for JSON with another order of keys, other white space and other spellings', () => {
    const same = [
      '{"a":{"x":1,"y":[1,{"b":2,"c":"é"}]},"z":null}',
      ' {"z": null,\n"a": {"y": [1.0, {"c": "\\u00e9", "b": 2e0}], "x": 1}}\n',
    ].map((text) => json(text))
    expect(
      new Set([...same, json('{"z":null,"a":{"x":1,"y":[1,{"b":2,"c":"é"}]}}', 'application/json; charset=utf-8')])
        .size,
    ).toBe(1)
  })

  it('differs if a value, the order of items or a name differs', () => {
    const texts = [
      '{"a":[1,2]}',
      '{"a":[2,1]}',
      '{"a":["1",2]}',
      '{"b":[1,2]}',
      '{"a":[1,2],"__proto__":1}',
      '{"a":[1,2]',
      '{"a":[1,2] ',
    ]
    expect(new Set(texts.map((text) => json(text))).size).toBe(texts.length)
  })

  it('covers method, path, query and body of any other request', () => {
    const body = Buffer.from('--one')
    const given = { method: 'POST', url, contentType: 'application/json; boundary=one', body }
    const other = [
      given,
      { ...given, method: 'PUT' },
      { ...given, url: `${url}/1` },
      { ...given, url: `${url}?a` },
      { ...given, body: Buffer.from('--two') },
    ]
    expect(new Set(other.map((one) => requestHash(one).toString('hex'))).size).toBe(other.length)
  })
})
