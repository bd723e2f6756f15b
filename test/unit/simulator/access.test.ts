import { describe, expect, it } from 'vitest'
import { DEMO_ACCOUNT, LIMITED_KEY, stripeSimulator } from '../../../adapters/stripe/simulator.ts'
import { clientOf, connect, refusal } from './connect.ts'

describe('keys', () => {
  it('answers 401 to an unknown key and does not print it', async () => {
    await using c = await connect()
    const key = stripeSimulator.refusedSecretPayload.apiKey ?? ''
    const error = await refusal(clientOf(c.simulator.url, key).disputes.list({ limit: 1 }))
    expect([error.type, error.statusCode]).toEqual(['StripeAuthenticationError', 401])
    expect(error.message).not.toContain(key)
  })

  it('answers 401 without a key', async () => {
    await using c = await connect()
    expect((await c.raw('GET /v1/disputes', { headers: { authorization: '' } })).status).toBe(401)
  })

  it('answers 403 to the restricted key, also for account and charges', async () => {
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

  it('takes the key as user name of Basic, as curl -u sends it', async () => {
    await using c = await connect()
    const basic = Buffer.from(`${stripeSimulator.secretPayload.apiKey}:`).toString('base64')
    expect((await c.raw('GET /v1/disputes', { headers: { authorization: `Basic ${basic}` } })).status).toBe(200)
  })
})

describe('accounts', () => {
  it('belongs the key to the demo account', async () => {
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

  it('starts any other account empty and refuses what is no account', async () => {
    await using c = await connect()
    await c.create({ count: 3 })
    expect((await c.stripe.disputes.list({}, { stripeContext: 'acct_anything1' })).data).toEqual([])
    expect((await refusal(c.stripe.disputes.list({}, { stripeContext: 'somebody' }))).statusCode).toBe(403)
  })
})

describe('wire', () => {
  it('answers with request id and version, and echoes the idempotency key', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response' })
    const answer = await c.raw(`POST /v1/disputes/${ref}/close`, { body: '', headers: { 'idempotency-key': 'k-1' } })
    expect(answer.headers.get('request-id')).toMatch(/^req_\w+$/)
    expect(answer.headers.get('stripe-version')).toBe('2026-10-28.endive')
    expect(answer.headers.get('idempotency-key')).toBe('k-1')
  })

  it('refuses a version it does not speak', async () => {
    await using c = await connect()
    expect((await c.raw('GET /v1/disputes', { headers: { 'stripe-version': '2020-08-27' } })).status).toBe(400)
  })

  it('refuses a JSON body', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response' })
    const headers = { 'content-type': 'application/json' }
    expect((await c.raw(`POST /v1/disputes/${ref}`, { body: '{"submit":false}', headers })).status).toBe(400)
  })

  it('answers 404 in the shape of Stripe for unknown paths and disputes', async () => {
    await using c = await connect()
    expect((await c.raw('GET /v1/disputes/')).status).toBe(404)
    const error = await refusal(c.stripe.disputes.retrieve('du_1nothing'))
    expect([error.statusCode, error.code]).toEqual([404, 'resource_missing'])
  })
})
