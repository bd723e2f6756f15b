import { describe, expect, it } from 'vitest'
import { requestHash } from '../../../api/request-hash.ts'

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

describe('what an Idempotency-Key stands for', () => {
  it('is the same form under another boundary, quoted or not', () => {
    const same = [
      form('one'),
      form('another'),
      form('a b', 'text', 'multipart/form-data; boundary="a b"'),
      form('two', 'text', 'Multipart/Form-Data;charset=utf-8;boundary=two'),
    ]
    expect(new Set(same).size).toBe(1)
  })

  it('is another with another content, which may look like a boundary', () => {
    expect(new Set([form('one'), form('one', 'other'), form('one', '--boundary'), form('one', '')]).size).toBe(4)
  })

  it('is method, path, query and body of everything else', () => {
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
