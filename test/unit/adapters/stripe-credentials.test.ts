import { describe, expect, test } from 'vitest'
import { stripe } from '../../../adapters/stripe/index.ts'
import { connectStripe, sendJson, startLoopback } from './loopback.ts'

const check =
  (apiKey: string, externalIdentifier = 'acct_home') =>
  () =>
    stripe.checkConfiguration({ secret: { apiKey }, externalIdentifier })

describe('an API key', () => {
  test('is trimmed', () =>
    expect(stripe.secrets.APIKEY_ONLY?.schema.parse({ apiKey: ' sk_test_abc\n' })).toEqual({ apiKey: 'sk_test_abc' }))

  test.each(['sk_live_a1', 'sk_test_a1', 'rk_live_a1', 'rk_test_a1'])('%s is one', (key) =>
    expect(check(key)).not.toThrow(),
  )

  test.each([
    ['pk_live_a1', /publishable/],
    ['sk_org_live_a1', /Organisation keys/],
    ['sk_test_a\nb', /no Stripe API key/],
    ['sk_prod_a1', /no Stripe API key/],
    ['sk_test_', /no Stripe API key/],
    ['sk_test_ü', /no Stripe API key/],
  ])('%j is none, with a message of its own', (key, message) => {
    expect(check(key)).toThrow(message)
    expect(check(key)).toThrow(expect.objectContaining({ kind: 'config_invalid' }))
  })

  test('an account that can’t be one is refused before it becomes a header', () =>
    expect(check('sk_test_a1', 'acct_a\r\nX: y')).toThrow(expect.objectContaining({ kind: 'config_invalid' })))
})

describe('checking it at Stripe', () => {
  const list = { object: 'list', data: [], has_more: false }
  const checking = async (status: number, path: string, mode = 'test') => {
    await using server = await startLoopback((request, response) => {
      if (request.path === path) return sendJson(response, status, { error: { type: 'invalid_request_error' } })
      return sendJson(response, 200, request.path === '/v1/account' ? { id: 'acct_home', object: 'account' } : list)
    })
    const secret = { apiKey: `sk_${mode}_a1` }
    return await connectStripe(server.url, { pspAccount: null, secret })
      .checkCredentials()
      .catch((error) => ({ failed: error.kind as string }))
  }

  test.each([
    [401, '/v1/disputes', { failed: 'auth_failed' }],
    [403, '/v1/disputes', { failed: 'permission_missing' }],
    [401, '/v1/account', { failed: 'auth_failed' }],
    [500, '/v1/account', { failed: 'unavailable' }],
    [403, '/v1/account', { pspAccount: null, mode: 'test' }],
    [403, '/v1/charges', { pspAccount: 'acct_home', mode: 'test' }],
  ])('%i at %s', async (status, path, expected) => expect(await checking(status, path)).toMatchObject(expected))

  test.each(['live', 'test'])('its prefix tells that it is %s', async (mode) =>
    expect(await checking(200, '/none', mode)).toMatchObject({ mode }),
  )

  test.each(['sk_test_a1', 'rk_test_a1'])(
    'a test key in production is config_invalid, before any call: %s',
    async (apiKey) => {
      const fetch = () => Promise.reject(new Error('it was called'))
      const adapter = connectStripe('http://127.0.0.1:9', { environment: 'production', secret: { apiKey }, fetch })
      await expect(adapter.checkCredentials()).rejects.toMatchObject({
        kind: 'config_invalid',
        message: expect.stringMatching(/test key.*live key/),
      })
    },
  )
})

describe('the account that a key belongs to now', () => {
  const confirming = async (status: number, body: unknown) => {
    await using server = await startLoopback((_, response) => sendJson(response, status, body))
    const account = await connectStripe(server.url, { externalIdentifier: 'acct_other' })
      .confirmAccount()
      .catch((error) => ({ failed: error.kind as string }))
    return { account, seen: server.seen.map(({ path, headers }) => [path, headers['stripe-context']]) }
  }
  const refusal = { error: { type: 'invalid_request_error' } }

  test('is read in one call, without naming an account', async () =>
    expect(await confirming(200, { id: 'acct_now', object: 'account' })).toEqual({
      account: 'acct_now',
      seen: [['/v1/account', undefined]],
    }))

  test('is null for a restricted key that may not read it', async () =>
    expect(await confirming(403, refusal)).toMatchObject({ account: null }))

  test('of a key that was revoked is auth_failed', async () =>
    expect(await confirming(401, refusal)).toMatchObject({ account: { failed: 'auth_failed' } }))
})
