import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { detail, errorOf, ID, json, SECRET, stubbed, tokenBody } from './paypal.ts'

const CAPTURE = '3BC38643YC807283D'
const TOKEN = '/v1/oauth2/token'
const dispute = { reference: ID, text: JSON.stringify(detail()) }

/** PayPal returns `captured` for the capture, and 404 for everything else about the payment. */
const withCapture = (captured: (headers: Headers) => Response | Promise<never>) =>
  stubbed(({ path, headers }) => {
    if (path === TOKEN) return undefined
    return path === `/v2/payments/captures/${CAPTURE}` ? captured(headers) : json({ name: 'RESOURCE_NOT_FOUND' }, 404)
  })

describe('a read through PayPal’s SDK', () => {
  test('keeps the response unchanged, including fields and spaces that the SDK’s models lack', async () => {
    const text = '{ "id":"X",  "amount":{"value":5}, "unheard_of":[1.10, 12345678901234567890] }'
    const { adapter } = withCapture(() => json(text))
    expect((await adapter.fetchContext(dispute))?.text).toBe(`{"capture":${text},"order":null,"search":null}`)
  })

  test('uses the engine’s address, the SDK’s user agent and our token', async () => {
    const { adapter, calls } = withCapture(() => json({ id: CAPTURE }))
    await adapter.fetchContext(dispute)
    const read = calls.find((call) => call.path.startsWith('/v2/payments'))
    expect(read?.url).toMatch(/^https:\/\/stub-\d+\.example\/v2\/payments\/captures\/3BC38643YC807283D$/)
    expect(read?.headers.get('authorization')).toBe('Bearer token-1')
    expect(read?.headers.get('user-agent')).toContain('PayPal REST API TypeScript SDK, Version: 2.5.0')
  })

  test('has no empty parameter', async () => {
    const { adapter, calls } = withCapture(() => json({ name: 'RESOURCE_NOT_FOUND' }, 404))
    await adapter.fetchContext(dispute)
    const search = calls.find((call) => call.path.startsWith('/v1/reporting'))
    expect(search?.path).toBe(
      `/v1/reporting/transactions?start_date=2026-01-05T08%3A00%3A00.000Z&end_date=2026-02-04T08%3A00%3A00.000Z` +
        `&transaction_id=${CAPTURE}&fields=all`,
    )
  })

  test.each([
    ['429', () => json({ name: 'RATE_LIMIT_REACHED' }, 429, { 'retry-after': '7' }), 'rate_limited'],
    ['500', () => json({ name: 'INTERNAL_SERVICE_ERROR' }, 500), 'unavailable'],
    ['502 in HTML', () => json('<html>', 502), 'unavailable'],
    ['a body that is no JSON', () => json('<html>'), 'unavailable'],
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed')), 'unavailable'],
  ])('with the response %s is sent once and is %s', async (_, captured, kind) => {
    const { adapter, apiCalls } = withCapture(captured)
    const error = await errorOf(adapter.fetchContext(dispute))
    expect(error.kind).toBe(kind)
    expect(apiCalls()).toHaveLength(1)
    expect(error.retryAfterMs).toBe(kind === 'rate_limited' ? 7000 : undefined)
  })

  test('has neither token nor secret in its error', async () => {
    const { adapter } = withCapture(() => Promise.reject(new TypeError('fetch failed')))
    const error = await errorOf(adapter.fetchContext(dispute))
    let shown = ''
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      shown += `${at.stack}${JSON.stringify(at)}${JSON.stringify(Object.entries(at))}`
    }
    for (const secret of ['token-1', SECRET.clientSecret, btoa(`${SECRET.clientId}:${SECRET.clientSecret}`)]) {
      expect(shown).not.toContain(secret)
    }
  })

  test('is repeated once with a fresh token after a 401', async () => {
    let minted = 0
    const { adapter, calls } = stubbed(({ path, headers }) => {
      if (path === TOKEN) return json(tokenBody(`token-${++minted}`))
      return headers.get('authorization') === 'Bearer token-1'
        ? json({ error: 'invalid_token' }, 401)
        : json({ id: 'X' })
    })
    expect((await adapter.fetchContext(dispute))?.text).toBe('{"capture":{"id":"X"},"order":null,"search":null}')
    expect(calls.slice(0, 4).map(({ path }) => path.split('/')[2])).toEqual([
      'oauth2',
      'payments',
      'oauth2',
      'payments',
    ])
  })
})

describe('a token of PayPal’s SDK', () => {
  test.each([
    ['invalid_client', () => json({ error: 'invalid_client' }, 401), 'auth_failed'],
    ['429', () => json('{}', 429), 'rate_limited'],
    ['503', () => json('down', 503), 'unavailable'],
    ['a lifetime that is no whole number', () => json(tokenBody('t', { expires_in: 1.5 })), 'unavailable'],
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed')), 'unavailable'],
  ])('that fails with %s is %s for this call, and is requested again for the next', async (_, respond, kind) => {
    let failures = 1
    const { adapter } = stubbed(({ path }) => {
      if (path === TOKEN) return failures-- > 0 ? respond() : undefined
      return json(detail())
    })
    expect((await errorOf(adapter.fetchDispute(ID))).kind).toBe(kind)
    expect((await adapter.fetchDispute(ID)).reference).toBe(ID)
  })
})

test('clients of the SDK leak no memory and no listeners', { timeout: 120_000 }, async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const { adapter, calls } = withCapture(() => json({ id: CAPTURE }))
  const read = async (times: number) => {
    for (let i = 0; i < times; i++) await adapter.fetchContext(dispute)
    calls.length = 0
  }
  const handlers = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  await read(50)
  const [before, listeners] = [heap(), handlers()]
  await read(300)
  expect(handlers()).toBe(listeners)
  // A client takes about 40 KB.
  expect((heap() - before) / 1e6).toBeLessThan(3)
})
