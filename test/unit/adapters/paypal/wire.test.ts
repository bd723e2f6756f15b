import { describe, expect, test } from 'vitest'
import { shortKey } from '../../../../adapters/paypal/client.ts'
import { pathOf } from '../../../../adapters/paypal/links.ts'
import { multipartBody } from '../../../../adapters/paypal/sdk/multipart.ts'
import { detail, errorOf, ID, json, stubbed } from './paypal.ts'

describe('links of PayPal’s', () => {
  test.each(['api.paypal.com', 'api-m.paypal.com', 'api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'])(
    'to %s give their path',
    (host) => expect(pathOf(`https://${host}/v1/customer/disputes?page=2`)).toBe('/v1/customer/disputes?page=2'),
  )
  test.each(['https://evil.example/v1', 'https://api.paypal.com.evil.example/v1', '/v1/relative', 'nonsense'])(
    'to %s are not followed',
    async (href) => expect((await errorOf(() => pathOf(href))).kind).toBe('unavailable'),
  )
})

describe('the address', () => {
  test.each(['http://paypal.example', 'http://10.0.0.1', 'http://[2001:db8::1]:80'])(
    'with plain HTTP is refused: %s',
    async (baseUrl) => {
      expect((await errorOf(() => stubbed(() => undefined, { baseUrl }))).kind).toBe('config_invalid')
    },
  )
  test.each(['http://127.0.0.1:12112', 'http://localhost:12112', 'http://[::1]:12112', 'http://simulators:12112'])(
    'with plain HTTP may be on this machine or in its container network: %s',
    (baseUrl) => void stubbed(() => undefined, { baseUrl }),
  )
  test.each([
    ['sandbox', 'https://api-m.sandbox.paypal.com'],
    ['production', 'https://api-m.paypal.com'],
  ] as const)('of the %s is PayPal’s own', async (environment, host) => {
    const { adapter, calls } = stubbed(() => json('{}', 503), { baseUrl: null, environment })
    await errorOf(adapter.fetchDispute(ID))
    expect(calls[0]?.url.startsWith(`${host}/`)).toBe(true)
  })
})

describe('an id', () => {
  test.each(['', '../disputes', 'PP-1/accept-claim', 'a b', 'é'])(
    'like %j is refused before any call',
    async (reference) => {
      const { adapter, calls } = stubbed(() => undefined)
      expect((await errorOf(adapter.fetchDispute(reference))).kind).toBe('invalid_request')
      expect(calls).toHaveLength(0)
    },
  )
  test('of another dispute in the response makes it invalid', async () => {
    const { adapter } = stubbed(({ method }) =>
      method === 'GET' ? json(detail({ dispute_id: 'PP-OTHER' })) : undefined,
    )
    expect((await errorOf(adapter.fetchDispute(ID))).kind).toBe('unavailable')
  })
})

describe('PayPal-Request-Id', () => {
  test('is the idempotency key, or its hash if the key is too long or not ASCII', () => {
    expect(shortKey('acceptance-1')).toBe('acceptance-1')
    expect(shortKey('x'.repeat(39))).toHaveLength(36)
    expect(shortKey('x'.repeat(39))).toBe(shortKey('x'.repeat(39)))
    expect(shortKey('ü')).toMatch(/^[0-9a-f]{36}$/)
  })
})

describe('a form', () => {
  const data = Buffer.from([0, 255, 13, 10, 45, 45])
  const form = multipartBody({ evidences: [] }, [{ name: 'a.pdf', type: 'application/pdf', data }])
  const text = Buffer.from(form.content as Uint8Array).toString('latin1')

  test('labels its JSON as JSON and gives it no filename', () => {
    const [, head = ''] = text.split(/--recoup-[0-9a-f]+\r\n/)
    expect(head).toBe(
      'Content-Disposition: form-data; name="input"\r\nContent-Type: application/json\r\n\r\n{"evidences":[]}\r\n',
    )
  })
  test('numbers its files and keeps their bytes', () => {
    expect(text).toContain('name="file1"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n')
    expect(Buffer.from(form.content as Uint8Array).includes(data)).toBe(true)
  })
  test('has the same bytes for the same content', () =>
    expect(multipartBody({ evidences: [] }, [{ name: 'a.pdf', type: 'application/pdf', data }])).toEqual(form))
})
