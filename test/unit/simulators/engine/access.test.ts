import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEMO_ACCOUNT, LIMITED_KEY, stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { clientOf, connect, refusal } from './connect.ts'

describe('keys', () => {
  it('returns 401 for an unknown key and does not print it', async () => {
    await using c = await connect()
    const key = stripeSimulator.refusedSecretPayload.apiKey ?? ''
    const error = await refusal(clientOf(c.simulator.url, key).disputes.list({ limit: 1 }))
    expect([error.type, error.statusCode]).toEqual(['StripeAuthenticationError', 401])
    expect(error.message).not.toContain(key)
  })

  it('returns 401 without a key', async () => {
    await using c = await connect()
    expect((await c.raw('GET /v1/disputes', { headers: { authorization: '' } })).status).toBe(401)
  })

  it('returns 403 for the restricted key, also for account and charges', async () => {
    await using c = await connect()
    const stripe = clientOf(c.simulator.url, stripeSimulator.restrictedSecretPayload.apiKey)
    for (const call of [stripe.disputes.list(), stripe.accounts.retrieveCurrent(), stripe.charges.list()]) {
      expect((await refusal(call)).type).toBe('StripePermissionError')
    }
  })

  it('lets the limited key read disputes but not expand their charge', async () => {
    await using c = await connect()
    await c.create({ count: 1 })
    const stripe = clientOf(c.simulator.url, LIMITED_KEY)
    expect((await stripe.disputes.list()).data).toHaveLength(1)
    expect((await refusal(stripe.disputes.list({ expand: ['data.charge'] }))).statusCode).toBe(403)
  })

  it('accepts the key as the user name of Basic, as curl -u sends it', async () => {
    await using c = await connect()
    const basic = Buffer.from(`${stripeSimulator.secretPayload.apiKey}:`).toString('base64')
    expect((await c.raw('GET /v1/disputes', { headers: { authorization: `Basic ${basic}` } })).status).toBe(200)
  })
})

describe('accounts', () => {
  it('assigns the key to the demo account', async () => {
    await using c = await connect()
    expect((await c.stripe.accounts.retrieveCurrent()).id).toBe(DEMO_ACCOUNT)
  })

  it('keeps the disputes of accounts apart', async () => {
    await using c = await connect()
    const [first] = await c.create({ count: 3 })
    const second = await c.create({ count: 2, account: stripeSimulator.externalIdentifier })
    const stripeContext = stripeSimulator.externalIdentifier
    const { data } = await c.stripe.disputes.list({}, { stripeContext })
    expect(new Set(data.map((d) => d.id))).toEqual(new Set(second))
    expect((await c.stripe.disputes.list({}, { stripeAccount: stripeContext })).data).toHaveLength(2)
    expect((await refusal(c.stripe.disputes.retrieve(first ?? '', {}, { stripeContext }))).statusCode).toBe(404)
    expect((await c.stripe.accounts.retrieveCurrent({}, { stripeContext })).id).toBe(stripeContext)
  })

  it.each(['acct_doesnotexist1', 'somebody'])('refuses an unknown account: %s', async (stripeContext) => {
    await using c = await connect()
    await c.create({ count: 3 })
    const error = await refusal(c.stripe.disputes.list({}, { stripeContext }))
    expect([error.statusCode, error.code]).toEqual([403, 'account_invalid'])
    // A request for an unknown account must not create it, through the control surface or the PSP.
    expect((await c.control(`GET /disputes?account=${stripeContext}`)).body).toEqual({ total: 0, disputes: [] })
    expect((await refusal(c.stripe.disputes.list({}, { stripeContext }))).statusCode).toBe(403)
  })

  it('opens an account without disputes', async () => {
    await using c = await connect()
    expect((await c.control('POST /accounts', { account: 'acct_opened' })).status).toBe(201)
    expect((await c.stripe.disputes.list({}, { stripeContext: 'acct_opened' })).data).toEqual([])
    const known = (await c.control('GET /accounts')).body.accounts.map(({ account }: { account: string }) => account)
    expect(known).toEqual([DEMO_ACCOUNT, stripeSimulator.externalIdentifier, 'acct_opened'])
  })
})

describe('changes of keys', () => {
  const key = stripeSimulator.secretPayload.apiKey ?? ''
  const other = stripeSimulator.externalIdentifier

  it('moves the key to the other account, and gives access to no other', async () => {
    await using c = await connect()
    await c.create({ count: 2 })
    expect((await c.control(`POST /accounts/${other}/keys`, { key })).body).toEqual({ account: other, key })
    expect((await c.stripe.accounts.retrieveCurrent()).id).toBe(other)
    expect((await c.stripe.disputes.list()).data).toEqual([])
    expect((await refusal(c.stripe.disputes.list({}, { stripeContext: DEMO_ACCOUNT }))).code).toBe('account_invalid')
  })

  it('issues a new key, and revokes it', async () => {
    await using c = await connect()
    await c.create({ count: 2 })
    const fresh = clientOf(c.simulator.url, 'sk_test_fresh1')
    expect((await refusal(fresh.disputes.list())).statusCode).toBe(401)
    await c.control(`POST /accounts/${DEMO_ACCOUNT}/keys`, { key: 'sk_test_fresh1' })
    expect((await fresh.disputes.list()).data).toHaveLength(2)
    expect((await c.control(`DELETE /accounts/${other}/keys/sk_test_fresh1`)).status).toBe(404)
    expect((await c.control(`DELETE /accounts/${DEMO_ACCOUNT}/keys/sk_test_fresh1`)).status).toBe(200)
    expect((await refusal(fresh.disputes.list())).statusCode).toBe(401)
  })

  it('revokes the demo key', async () => {
    await using c = await connect()
    await c.control(`DELETE /accounts/${DEMO_ACCOUNT}/keys/${key}`)
    expect((await refusal(c.stripe.disputes.list())).statusCode).toBe(401)
  })

  it('remembers accounts and keys after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'access-'))
    const snapshotFile = join(folder, 'stripe.snapshot')
    {
      await using c = await connect({ snapshotFile })
      await c.control('POST /accounts', { account: 'acct_opened' })
      await c.control('POST /accounts/acct_opened/keys', { key: 'sk_test_fresh1' })
      await c.control(`DELETE /accounts/${DEMO_ACCOUNT}/keys/${key}`)
    }
    {
      await using c = await connect({ snapshotFile })
      expect((await clientOf(c.simulator.url, 'sk_test_fresh1').accounts.retrieveCurrent()).id).toBe('acct_opened')
      expect((await refusal(c.stripe.disputes.list())).statusCode).toBe(401)
    }
    rmSync(folder, { recursive: true })
  })
})

describe('GET /v1/account', () => {
  it('has every field that Stripe requires, and all four parts of its settings', async () => {
    await using c = await connect()
    const { settings, controller, business_profile } = await c.stripe.accounts.retrieveCurrent()
    for (const part of ['branding', 'card_payments', 'dashboard', 'payments']) expect(settings).toHaveProperty(part)
    expect(settings?.card_payments).toHaveProperty('statement_descriptor_prefix_kanji')
    expect(controller).toEqual({ type: 'account' })
    expect(business_profile).toHaveProperty('support_phone')
  })
})

describe('wire', () => {
  it('returns request id and version, and echoes the idempotency key', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response' })
    const response = await c.raw(`POST /v1/disputes/${ref}/close`, { body: '', headers: { 'idempotency-key': 'k-1' } })
    expect(response.headers.get('request-id')).toMatch(/^req_\w+$/)
    expect(response.headers.get('stripe-version')).toBe('2026-10-28.endive')
    expect(response.headers.get('idempotency-key')).toBe('k-1')
  })

  it('refuses a version that it does not support', async () => {
    await using c = await connect()
    expect((await c.raw('GET /v1/disputes', { headers: { 'stripe-version': '2020-08-27' } })).status).toBe(400)
  })

  it('refuses a JSON body', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response' })
    const headers = { 'content-type': 'application/json' }
    expect((await c.raw(`POST /v1/disputes/${ref}`, { body: '{"submit":false}', headers })).status).toBe(400)
  })

  it('returns 404 in Stripe’s error format for unknown paths and disputes', async () => {
    await using c = await connect()
    for (const call of ['GET /v1/disputes/', 'GET /v1/nothing', 'DELETE /v1/disputes/du_1', 'POST /nowhere']) {
      const response = await c.raw(call)
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json'])
      expect(response.headers.get('request-id')).toMatch(/^req_/)
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    }
    const error = await refusal(c.stripe.disputes.retrieve('du_1nothing'))
    expect([error.statusCode, error.code]).toEqual([404, 'resource_missing'])
  })
})
