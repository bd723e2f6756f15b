import { describe, expect, it } from 'vitest'
import { SITUATIONS } from '../../../../simulators/stripe/situations.ts'
import { connect } from './connect.ts'

describe('POST /disputes', () => {
  it('shows every situation of the PSP several times in 60 disputes', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const { data } = await c.stripe.disputes.list({ limit: 100, expand: ['data.charge'] })
    for (const { word } of SITUATIONS) expect(data.filter((d) => d.status === word).length).toBeGreaterThanOrEqual(2)
    const currencies = new Set(data.map((d) => d.currency))
    expect(['usd', 'jpy', 'kwd', 'bhd'].filter((code) => currencies.has(code)).length).toBeGreaterThanOrEqual(3)
    expect(new Set(data.map((d) => d.payment_method_details?.card?.network)).size).toBeGreaterThan(3)
    expect(new Set(data.map((d) => d.reason)).size).toBeGreaterThan(4)
    const now = Date.now() / 1000
    for (const d of data) {
      expect(d.created).toBeGreaterThan(now - 61 * 86_400)
      expect(d.created).toBeLessThanOrEqual(now)
      if (d.status.endsWith('needs_response')) expect(d.evidence_details.due_by).toBeGreaterThan(now)
    }
  })

  it('invents people with addresses at example.com', async () => {
    await using c = await connect()
    await c.create({ count: 30 })
    const { data } = await c.stripe.charges.list({ limit: 100 })
    const emails = data.flatMap((charge) => charge.billing_details.email ?? [])
    expect(emails.length).toBeGreaterThan(10)
    expect(emails.every((email) => /^[a-z.]+\d{4}@example\.com$/.test(email))).toBe(true)
  })

  it('creates the same disputes from the same seed, and others from another seed', async () => {
    const refsOf = async (seed: string): Promise<string[]> => {
      await using c = await connect({ seed })
      return await c.create({ count: 5 })
    }
    expect(await refsOf('a')).toEqual(await refsOf('a'))
    expect(await refsOf('a')).not.toEqual(await refsOf('b'))
  })

  it('creates disputes as ordered', async () => {
    await using c = await connect()
    const order = {
      status: 'needs_response',
      stage: 'chargeback',
      reason: '10.4',
      currency: 'kwd',
      amount: '5.120',
      dueInHours: 5,
    }
    const [ref = ''] = await c.create({ count: 1, ...order })
    const dispute = await c.stripe.disputes.retrieve(ref)
    expect(dispute).toMatchObject({
      status: 'needs_response',
      currency: 'kwd',
      amount: 5120,
      network_reason_code: '10.4',
    })
    expect(Math.abs((dispute.evidence_details.due_by ?? 0) - Date.now() / 1000 - 5 * 3600)).toBeLessThan(5)
  })

  it.each([
    ['product_not_received', ['amazon_pay']],
    [undefined, ['amazon_pay']],
  ])('creates a claim with a reason that claims have: %s', async (reason, expected) => {
    await using c = await connect()
    const refs = await c.create({ count: 5, stage: 'claim', reason })
    const created = await Promise.all(refs.map((ref) => c.stripe.disputes.retrieve(ref)))
    expect([...new Set(created.map((one) => one.payment_method_details?.type))]).toEqual(expected)
  })

  it('creates disputes of the kind that has the given reason', async () => {
    await using c = await connect()
    const refs = await c.create({ count: 4, reason: 'noncompliant' })
    const created = await Promise.all(refs.map((ref) => c.stripe.disputes.retrieve(ref)))
    expect(created.map((one) => [one.reason, one.payment_method_details?.card?.case_type])).toEqual(
      refs.map(() => ['noncompliant', 'compliance']),
    )
  })

  it.each([
    ['{', 'not JSON'],
    [{ count: 0 }, 'count'],
    [{ count: 1, colour: 'red' }, 'colour'],
    [{ count: 1, status: 'sleeping' }, 'it has:'],
    [{ count: 1, status: 'won', stage: 'alert' }, 'it has:'],
    [{ count: 1, reason: '99.9' }, 'unknown reason'],
    [{ count: 1, stage: 'claim', reason: '13.1' }, 'no dispute with that status and stage has the reason 13.1'],
    [{ count: 1, stage: 'chargeback', reason: 'noncompliant' }, '10.4'],
    [{ count: 1, variant: 'sleeping' }, 'it has:'],
    [{ count: 1, currency: 'xxx' }, 'unknown currency'],
    [{ count: 1, currency: 'jpy', amount: '1.5' }, 'at most 0 digits'],
    [{ rawText: '{' }, 'must be JSON'],
  ])('returns 400 for %j', async (body, why) => {
    await using c = await connect()
    const response = await c.control('POST /disputes', body)
    expect(response.status).toBe(400)
    expect(response.body.error).toContain(why)
    expect((await c.control('GET /disputes')).body.total).toBe(0)
  })
})

describe('other controls', () => {
  it.each([
    ['POST /faults', { kind: 'earthquake' }],
    ['POST /holds', '{"then":"wait"}'],
    ['POST /clock', { seconds: 'soon' }],
    ['POST /notifications', { url: 'nowhere' }],
    ['POST /disputes/x/decide', { outcome: 'draw' }],
  ])('%s returns 400 for %j', async (call, body) => {
    await using c = await connect()
    expect((await c.control(call, body)).status).toBe(400)
  })

  it('are not reachable through the PSP, and the PSP is not reachable through them', async () => {
    await using c = await connect()
    expect((await c.raw('GET /effects')).status).toBe(404)
    expect((await c.control('GET /v1/disputes')).status).toBe(404)
  })

  it('change a dispute', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', currency: 'usd' })
    await c.control(`PATCH /disputes/${ref}`, {
      status: 'won',
      amount: '12.34',
      dueInHours: null,
      fields: { reason: 'general' },
    })
    const dispute = await c.stripe.disputes.retrieve(ref)
    expect(dispute).toMatchObject({ status: 'won', amount: 1234, reason: 'general' })
    expect(dispute.evidence_details.due_by).toBeNull()
  })

  it('delete a dispute', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 2 })
    await c.control(`DELETE /disputes/${ref}`)
    expect((await c.stripe.disputes.list()).data).toHaveLength(1)
  })

  it('log calls without the key', async () => {
    await using c = await connect()
    await c.stripe.disputes.list({ limit: 3 })
    const { body } = await c.control('GET /calls')
    expect(body).toMatchObject({
      total: 1,
      calls: [
        { id: 1, method: 'GET', path: '/v1/disputes', query: 'limit=3', account: 'acct_recoupdemo', status: 200 },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('sk_test')
  })
})

describe('planted objects', () => {
  it.each([
    ['amount_text', (d: Record<string, unknown>) => typeof d.amount === 'string'],
    ['amount_huge', (d: Record<string, unknown>) => d.amount === 1e30],
    ['amount_missing', (d: Record<string, unknown>) => !('amount' in d)],
    ['id_null', (d: Record<string, unknown>) => d.id === null],
    ['created_text', (d: Record<string, unknown>) => typeof d.created === 'string'],
    ['status_unknown', (d: Record<string, unknown>) => d.status === 'status_of_next_year'],
    ['nul_character', (d: Record<string, unknown>) => String(d.reason).includes('\u0000')],
    ['lone_surrogate', (d: Record<string, unknown>) => String(d.reason) === '\ud800'],
    ['not_an_object', (d: unknown) => typeof d === 'string'],
  ] as const)('%s is listed with the others', async (malformed, matches) => {
    await using c = await connect()
    await c.create({ count: 3 })
    await c.create({ count: 1, malformed })
    const response = await c.raw('GET /v1/disputes?limit=100')
    const { data } = (await response.json()) as { data: never[] }
    expect(data).toHaveLength(4)
    expect(data.filter(matches)).toHaveLength(1)
  })

  it('keeps text byte for byte', async () => {
    await using c = await connect()
    const rawText = '{"id":"du_odd", "created":5,  "status":"won","amount":1e2}'
    await c.create({ rawText })
    expect(await (await c.raw('GET /v1/disputes/du_odd')).text()).toBe(rawText)
    expect(await (await c.raw('GET /v1/disputes')).text()).toContain(rawText)
  })
})
