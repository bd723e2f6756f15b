import { describe, expect, test } from 'vitest'
import { stripe } from '../../../../adapters/stripe/index.ts'
import { connectStripe, sendJson, startLoopback } from '../loopback.ts'

const check =
  (apiKey: string, externalIdentifier = 'acct_home') =>
  () =>
    stripe.checkConfiguration({ secret: { apiKey }, externalIdentifier })

describe('an API key', () => {
  test('is trimmed', () =>
    expect(stripe.secrets.APIKEY_ONLY?.schema.parse({ apiKey: ' sk_test_abc\n' })).toEqual({ apiKey: 'sk_test_abc' }))

  test.each(['sk_live_a1', 'sk_test_a1', 'rk_live_a1', 'rk_test_a1'])('%s is valid', (key) =>
    expect(check(key)).not.toThrow(),
  )

  test.each([
    ['pk_live_a1', /publishable/],
    ['sk_org_live_a1', /Organisation keys/],
    ['sk_test_a\nb', /no Stripe API key/],
    ['sk_prod_a1', /no Stripe API key/],
    ['sk_test_', /no Stripe API key/],
    ['sk_test_ü', /no Stripe API key/],
  ])('%j is invalid, with a specific message', (key, message) => {
    expect(check(key)).toThrow(message)
    expect(check(key)).toThrow(expect.objectContaining({ kind: 'config_invalid' }))
  })

  test('an account with invalid characters is refused before it becomes a header', () =>
    expect(check('sk_test_a1', 'acct_a\r\nX: y')).toThrow(expect.objectContaining({ kind: 'config_invalid' })))
})

describe('checking an API key at Stripe', () => {
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

  test.each(['live', 'test'])('its prefix shows that it is %s', async (mode) =>
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

describe('the account that the client entered', () => {
  const list = { object: 'list', data: [], has_more: false }
  const refusal = { error: { type: 'invalid_request_error', code: 'account_invalid' } }

  /** A simulated Stripe whose key belongs to acct_home (null: Stripe does not say) and can access `reached` too. */
  const checking = async (
    entered: string,
    { own = 'acct_home', reached = [] }: { own?: string | null; reached?: readonly string[] },
  ) => {
    await using server = await startLoopback(({ path, headers }, response) => {
      const named = headers['stripe-context']
      if (named !== undefined && !reached.includes(String(named))) return sendJson(response, 403, refusal)
      if (path === '/v1/account' && own === null) return sendJson(response, 403, refusal)
      return sendJson(response, 200, path === '/v1/account' ? { id: named ?? own, object: 'account' } : list)
    })
    const report = connectStripe(server.url, { externalIdentifier: entered, pspAccount: null }).checkCredentials()
    return await report.then(
      ({ pspAccount }) => ({ pspAccount, acted: stripe.accountOf?.({ externalIdentifier: entered, pspAccount }) }),
      ({ kind, message }) => ({ kind, message }),
    )
  }

  test('may be the key’s own', async () =>
    expect(await checking('acct_home', {})).toEqual({ pspAccount: 'acct_home', acted: 'acct_home' }))

  test('may be another one that Stripe lets the key act for', async () =>
    expect(await checking('acct_other', { reached: ['acct_other'] })).toEqual({
      pspAccount: 'acct_home',
      acted: 'acct_other',
    }))

  test('is checked after the key’s own account was read', async () => {
    await using server = await startLoopback(({ path, headers }, response) => {
      const id = headers['stripe-context'] ?? 'acct_home'
      const account = path === '/v1/account'
      return sendJson(
        response,
        200,
        account ? { id, object: 'account' } : { object: 'list', data: [], has_more: false },
      )
    })
    const entered = { externalIdentifier: 'acct_other', pspAccount: null }
    const report = await connectStripe(server.url, entered).checkCredentials()
    expect(report).toMatchObject({ pspAccount: 'acct_home', mode: 'test' })
    expect(server.seen.map((request) => [request.path, request.headers['stripe-context']])).toEqual([
      ['/v1/account', undefined],
      ['/v1/disputes', 'acct_other'],
      ['/v1/account', 'acct_other'],
      ['/v1/charges', 'acct_other'],
    ])
  })

  test('is refused if the key cannot access it, with both accounts in the message', async () =>
    expect(await checking('acct_doesnotexist1', {})).toEqual({
      kind: 'config_invalid',
      message: expect.stringMatching(/belongs to account acct_home.*acct_doesnotexist1/),
    }))

  test('means the key’s own account if it is any other text', async () =>
    expect(await checking('my shop', {})).toEqual({ pspAccount: 'acct_home', acted: 'acct_home' }))

  test('is proven for a restricted key by acting for it', async () =>
    expect(await checking('acct_other', { own: null, reached: ['acct_other'] })).toEqual({
      pspAccount: null,
      acted: 'acct_other',
    }))

  test('is refused if a restricted key cannot access it, with the permission to grant', async () =>
    expect(await checking('acct_doesnotexist1', { own: null })).toEqual({
      kind: 'config_invalid',
      message: expect.stringMatching(/acct_doesnotexist1.*Account: read/),
    }))

  test('is refused if it is other text and nothing proves the key’s account', async () =>
    expect(await checking('my shop', { own: null })).toEqual({
      kind: 'permission_missing',
      message: expect.stringMatching(/Account: read.*acct_/),
    }))

  test('is refused if Stripe returns another account than the requested one', async () => {
    await using server = await startLoopback(({ path }, response) =>
      sendJson(response, 200, path === '/v1/account' ? { id: 'acct_home', object: 'account' } : list),
    )
    const adapter = connectStripe(server.url, { externalIdentifier: 'acct_other', pspAccount: null })
    await expect(adapter.checkCredentials()).rejects.toMatchObject({ kind: 'config_invalid' })
  })

  test('is not reported as wrong if the key lacks a permission', async () => {
    await using server = await startLoopback(({ path }, response) =>
      path === '/v1/account'
        ? sendJson(response, 200, { id: 'acct_home', object: 'account' })
        : sendJson(response, 403, refusal),
    )
    const adapter = connectStripe(server.url, { externalIdentifier: 'acct_other', pspAccount: null })
    await expect(adapter.checkCredentials()).rejects.toMatchObject({ kind: 'permission_missing' })
  })
})

describe('confirming the account of a key', () => {
  const confirming = async (status: number, body: unknown) => {
    await using server = await startLoopback((_, response) => sendJson(response, status, body))
    const account = await connectStripe(server.url, { externalIdentifier: 'acct_other' })
      .confirmAccount()
      .catch((error) => ({ failed: error.kind as string }))
    return { account, seen: server.seen.map(({ path, headers }) => [path, headers['stripe-context']]) }
  }
  const refusal = { error: { type: 'invalid_request_error' } }

  test('reads it in one call, without naming an account', async () =>
    expect(await confirming(200, { id: 'acct_now', object: 'account' })).toEqual({
      account: 'acct_now',
      seen: [['/v1/account', undefined]],
    }))

  test('returns null for a restricted key that may not read it', async () =>
    expect(await confirming(403, refusal)).toMatchObject({ account: null }))

  test('fails with auth_failed if the key was revoked', async () =>
    expect(await confirming(401, refusal)).toMatchObject({ account: { failed: 'auth_failed' } }))
})
