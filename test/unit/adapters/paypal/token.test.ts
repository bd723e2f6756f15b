import { describe, expect, test } from 'vitest'
import { PspError } from '../../../../adapters/errors.ts'
import { detail, errorOf, ID, json, NOW, resolved, SECRET, simulated, stubbed, tokenBody } from './paypal.ts'

const TOKEN = '/v1/oauth2/token'
const mints = (calls: { path: string }[]) => calls.filter((call) => call.path === TOKEN).length

describe('a token', () => {
  test('is requested with Basic and a form, and used as Bearer', async () => {
    const { adapter, calls } = stubbed(({ path }) => (path === TOKEN ? undefined : json(detail())))
    await adapter.fetchDispute(ID)
    const [mint, read] = calls
    expect(mint?.headers.get('authorization')).toBe(`Basic ${btoa(`${SECRET.clientId}:${SECRET.clientSecret}`)}`)
    expect(mint?.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(mint?.body.toString()).toBe('grant_type=client_credentials')
    expect(read?.headers.get('authorization')).toBe('Bearer token-1')
  })

  test('is requested once for five concurrent first calls', async () => {
    const { adapter, calls } = stubbed(({ path }) => (path === TOKEN ? undefined : json(detail())))
    await Promise.all(Array.from({ length: 5 }, () => adapter.fetchDispute(ID)))
    expect(mints(calls)).toBe(1)
  })

  test('is shared by adapters with the same credential only', async () => {
    const serve = ({ path }: { path: string }) => (path === TOKEN ? undefined : json(detail()))
    const baseUrl = 'https://shared-token.example'
    const first = stubbed(serve, { baseUrl })
    const second = stubbed(serve, { baseUrl })
    const third = stubbed(serve, { baseUrl, secret: { ...SECRET, clientSecret: 'EKrotated' } })
    for (const { adapter } of [first, second, third]) await adapter.fetchDispute(ID)
    expect([first, second, third].map(({ calls }) => mints(calls))).toEqual([1, 0, 1])
  })

  test('is requested again by the next call after a failure', async () => {
    let failures = 1
    const { adapter } = stubbed(({ path }) => {
      if (path === TOKEN) return failures-- > 0 ? json('down', 503) : undefined
      return json(detail())
    })
    expect((await errorOf(adapter.fetchDispute(ID))).kind).toBe('unavailable')
    await adapter.fetchDispute(ID)
  })

  test('is requested again for a waiting caller if the first caller’s request failed', async () => {
    const baseUrl = 'https://waiting-token.example'
    let refuse: (error: Error) => void = () => undefined
    const hanging = new Promise<never>((_, reject) => {
      refuse = reject
    })
    const first = stubbed(({ path }) => (path === TOKEN ? hanging : json(detail())), { baseUrl })
    const second = stubbed(({ path }) => (path === TOKEN ? undefined : json(detail())), { baseUrl })
    const failing = errorOf(first.adapter.fetchDispute(ID))
    const waiting = second.adapter.fetchDispute(ID)
    refuse(new PspError('rate_limited', 'the first caller is out of tokens'))
    expect((await failing).kind).toBe('rate_limited')
    expect((await waiting).reference).toBe(ID)
  })

  test('is renewed before it expires', async () => {
    let now = NOW
    const { adapter, calls } = stubbed(({ path }) => (path === TOKEN ? undefined : json(detail())), { now: () => now })
    await adapter.fetchDispute(ID)
    now = new Date(NOW.getTime() + (32_400 - 301) * 1000)
    await adapter.fetchDispute(ID)
    expect(mints(calls)).toBe(1)
    now = new Date(NOW.getTime() + (32_400 - 299) * 1000)
    await adapter.fetchDispute(ID)
    expect(mints(calls)).toBe(2)
  })

  test('is replaced once if PayPal refuses it before it expires', async () => {
    let minted = 0
    const serve = ({ path, headers }: { path: string; headers: Headers }) => {
      if (path === TOKEN) return json(tokenBody(`token-${++minted}`))
      const stale = headers.get('authorization') === 'Bearer token-1'
      return stale ? json({ error: 'invalid_token' }, 401) : json(detail())
    }
    const { adapter, calls } = stubbed(serve)
    await adapter.fetchDispute(ID)
    expect(calls.map((call) => call.path.split('/').at(-1))).toEqual(['token', ID, 'token', ID])
  })

  test('is replaced for the write if it expires between the read and the write', async () => {
    let minted = 0
    let accepted = 0
    const { adapter, calls } = stubbed(({ path, method, headers }) => {
      if (path === TOKEN) return json(tokenBody(`token-${++minted}`))
      if (method === 'GET') return json(accepted > 0 ? resolved('RESOLVED_BUYER_FAVOUR') : detail())
      if (headers.get('authorization') === 'Bearer token-1') return json({ error: 'invalid_token' }, 401)
      accepted++
      return json({ links: [] })
    })
    expect((await adapter.acceptDispute({ reference: ID, idempotencyKey: 'k' })).result).toBe('applied')
    expect([accepted, mints(calls)]).toEqual([1, 2])
    const keys = calls.filter((call) => call.path.endsWith('/accept-claim')).map((call) => call.headers)
    expect(keys.map((headers) => headers.get('paypal-request-id'))).toEqual(['k', 'k'])
  })

  test('is auth_failed after one retry if a fresh one is refused too', async () => {
    const { adapter, apiCalls } = stubbed(({ path }) => (path === TOKEN ? undefined : json('{}', 401)))
    expect((await errorOf(adapter.fetchDispute(ID))).kind).toBe('auth_failed')
    expect(apiCalls()).toHaveLength(2)
  })

  test.each([
    ['no JSON', 'a token'],
    ['no token', '{}'],
    ['a token with a line break', '{"access_token":"a\\nb"}'],
  ])('is unavailable if the response has %s', async (_, body) => {
    const { adapter } = stubbed(({ path }) => (path === TOKEN ? json(body) : json(detail())))
    expect((await errorOf(adapter.fetchDispute(ID))).kind).toBe('unavailable')
  })
})

describe('checking credentials', () => {
  const list = { items: [{ disputed_transactions: [{ seller: { merchant_id: 'MERCHANT1' } }] }], links: [] }

  test('requests a new token, because an older one has outdated permissions', async () => {
    const { adapter, calls } = stubbed(({ path }) => (path === TOKEN ? undefined : json(list)))
    await adapter.checkCredentials()
    await adapter.checkCredentials()
    expect(mints(calls)).toBe(2)
  })

  test('learns the account from a dispute, and works without one', async () => {
    const known = stubbed(({ path }) => (path === TOKEN ? undefined : json(list)))
    expect((await known.adapter.checkCredentials()).pspAccount).toBe('MERCHANT1')
    const empty = stubbed(({ path }) => (path === TOKEN ? undefined : json({ links: [] })))
    expect((await empty.adapter.checkCredentials()).pspAccount).toBeNull()
  })

  const searching = tokenBody('t', {
    scope: `${tokenBody().scope} https://uri.paypal.com/services/reporting/search/read`,
  })
  /** A PayPal without disputes; `found` is the response of Transaction Search. */
  const empty = (found: () => Response, externalIdentifier = 'MERCHANT1') =>
    stubbed(
      ({ path }) => {
        if (path === TOKEN) return json(searching)
        return path.startsWith('/v1/reporting/transactions') ? found() : json({ links: [] })
      },
      { externalIdentifier },
    )

  test('learns the account from an empty Transaction Search if there is no dispute', async () => {
    const { adapter, apiCalls } = empty(() => json({ transaction_details: [], account_number: 'MERCHANT1' }))
    const report = await adapter.checkCredentials()
    expect(report.pspAccount).toBe('MERCHANT1')
    expect(report.findings.find(({ permission }) => permission === 'Account')?.state).toBe('ok')
    expect(apiCalls().at(-1)?.path).toBe(
      '/v1/reporting/transactions?start_date=2026-02-28T12%3A00%3A00.000Z&end_date=2026-03-01T12%3A00%3A00.000Z' +
        '&fields=transaction_info&page_size=1',
    )
  })

  test.each([
    ['the search is refused despite its scope', () => json({ name: 'NOT_AUTHORIZED' }, 403)],
    ['the search names no account', () => json({ transaction_details: [] })],
  ])('reports the account as unverified if %s', async (_, found) => {
    const report = await empty(found, 'acct_doesnotexist1').adapter.checkCredentials()
    expect(report.pspAccount).toBeNull()
    expect(report.findings.find(({ permission }) => permission === 'Account')).toMatchObject({
      state: 'unverified',
      hint: expect.stringContaining('Transaction Search'),
    })
  })

  test('refuses an account of another credential, and names both', async () => {
    const byDispute = stubbed(({ path }) => (path === TOKEN ? undefined : json(list)), {
      externalIdentifier: 'acct_doesnotexist1',
    })
    const bySearch = empty(() => json({ account_number: 'MERCHANT1' }), 'acct_doesnotexist1')
    for (const { adapter } of [byDispute, bySearch])
      expect(await errorOf(adapter.checkCredentials())).toMatchObject({
        kind: 'config_invalid',
        message:
          'The PayPal app belongs to the merchant id MERCHANT1, not to acct_doesnotexist1. Connect that account, or its own app.',
      })
  })

  test('refuses an invented account at the simulated PayPal, with disputes and without', async () => {
    await using bench = await simulated()
    const invented = () => bench.connect({ externalIdentifier: 'acct_doesnotexist1', pspAccount: null })
    for (const count of [0, 1]) {
      if (count > 0) await bench.create({ count })
      const { kind, message } = await errorOf(invented().checkCredentials())
      expect([kind, message.includes(bench.account), message.includes('acct_doesnotexist1')]).toEqual([
        'config_invalid',
        true,
        true,
      ])
    }
  })

  test('is permission_missing before any list without the feature Disputes', async () => {
    const { adapter, apiCalls } = stubbed(({ path }) =>
      path === TOKEN ? json(tokenBody('t', { scope: 'openid' })) : undefined,
    )
    expect((await errorOf(adapter.checkCredentials())).kind).toBe('permission_missing')
    expect(apiCalls()).toHaveLength(0)
  })

  test.each(['read-seller', 'update-seller'])('is permission_missing with the scope %s alone', async (only) => {
    const scope = `https://uri.paypal.com/services/disputes/${only}`
    const { adapter } = stubbed(({ path }) => (path === TOKEN ? json(tokenBody('t', { scope })) : json(list)))
    expect((await errorOf(adapter.checkCredentials())).kind).toBe('permission_missing')
  })

  test('is permission_missing if the list is refused despite all scopes', async () => {
    const { adapter, apiCalls } = stubbed(({ path }) =>
      path === TOKEN ? undefined : json({ name: 'NOT_AUTHORIZED', message: 'no', debug_id: 'd1' }, 403),
    )
    expect((await errorOf(adapter.checkCredentials())).kind).toBe('permission_missing')
    expect(apiCalls().map((call) => call.path)).toEqual(['/v1/customer/disputes?page_size=1'])
  })

  test.each([
    ['ok', ' https://uri.paypal.com/services/reporting/search/read'],
    ['unverified', ''],
  ])('reports the optional Transaction Search as %s', async (state, more) => {
    const scope = `${tokenBody().scope}${more}`
    const { adapter } = stubbed(({ path }) => (path === TOKEN ? json(tokenBody('t', { scope })) : json(list)))
    const { findings } = await adapter.checkCredentials()
    expect(findings.find((finding) => finding.permission === 'Transaction Search')?.state).toBe(state)
  })
})
