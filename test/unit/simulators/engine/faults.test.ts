import { describe, expect, it } from 'vitest'
import { type Connected, clientOf, connect, refusal } from './connect.ts'

async function closeWithFault(
  c: Connected,
  fault: object,
): Promise<{ ref: string; error: Record<string, unknown> & { type: string } }> {
  const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
  await c.control('POST /faults', { match: { method: 'POST', path: `/v1/disputes/${ref}/close` }, ...fault })
  const stripe = clientOf(c.simulator.url, undefined, 800)
  return { ref, error: await refusal(stripe.disputes.close(ref, {}, { idempotencyKey: 'k' })) }
}

describe('faults before a call takes effect', () => {
  it.each([
    ['429', 'StripeRateLimitError', 429],
    ['429_lock', 'StripeRateLimitError', 429],
    ['409', 'StripeAPIError', 409],
    ['500', 'StripeAPIError', 500],
    ['500_stored', 'StripeAPIError', 500],
    ['502_html', 'StripeAPIError', undefined],
    ['reset', 'StripeConnectionError', undefined],
    ['timeout', 'StripeConnectionError', undefined],
    ['200_html', 'StripeAPIError', undefined],
  ])('%s', async (kind, type, statusCode) => {
    await using c = await connect()
    const { ref, error } = await closeWithFault(c, { kind, count: 1 })
    expect([error.type, error.statusCode]).toEqual([type, statusCode])
    expect((await c.stripe.disputes.retrieve(ref)).status).toMatch(/needs_response$/)
    expect((await c.control('GET /effects')).body.total).toBe(0)
  })

  it('503_empty resolves in the SDK, so callers must check the status', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
    await c.control('POST /faults', { kind: '503_empty', count: 1 })
    const response = await c.stripe.disputes.close(ref)
    expect([response.lastResponse.statusCode, response.status]).toEqual([503, undefined])
  })

  it('redirect returns 302', async () => {
    await using c = await connect()
    await c.control('POST /faults', { kind: 'redirect', count: 1 })
    expect((await c.raw('GET /v1/disputes')).status).toBe(302)
  })

  it('429 has Retry-After on request, as seconds or as a date', async () => {
    await using c = await connect()
    for (const retryAfter of [7, 'Wed, 21 Oct 2026 07:28:00 GMT']) {
      const { error } = await closeWithFault(c, { kind: '429', count: 1, retryAfter })
      expect((error.headers as Record<string, string>)['retry-after']).toBe(String(retryAfter))
    }
    const { error } = await closeWithFault(c, { kind: '429', count: 1 })
    expect((error.headers as Record<string, string>)['retry-after']).toBeUndefined()
  })
})

describe('429', () => {
  it.each([
    ['429', 'rate_limit', undefined],
    ['429_lock', 'lock_timeout', 'true'],
  ])('%s has the code %s and Stripe-Should-Retry %s', async (kind, code, again) => {
    await using c = await connect()
    const { error } = await closeWithFault(c, { kind, count: 1 })
    expect([error.code, (error.headers as Record<string, string>)['stripe-should-retry']]).toEqual([code, again])
  })
})

describe('faults of a call that took effect', () => {
  it.each([
    'reset_after_apply',
    'timeout_after_apply',
    '500_after_apply',
    'malformed',
    'truncated',
    'empty',
    'trickle',
    'slow',
  ])('%s', async (kind) => {
    await using c = await connect()
    const { ref, error } = await closeWithFault(c, { kind, count: 1 })
    expect(['StripeConnectionError', 'StripeAPIError']).toContain(error.type)
    expect((await c.stripe.disputes.retrieve(ref)).status).toBe('lost')
    expect((await c.control('GET /effects')).body.effects).toMatchObject([{ ref, idempotencyKey: 'k' }])
    const again = await refusal(c.stripe.disputes.close(ref, {}, { idempotencyKey: 'k' })).catch(() => null)
    expect(again === null).toBe(kind !== '500_after_apply')
    expect((await c.control('GET /effects')).body.total).toBe(1)
  })

  it('slow responds after its delay', async () => {
    await using c = await connect()
    await c.control('POST /faults', { kind: 'slow', count: 1, delayMs: 150 })
    const begun = performance.now()
    await c.stripe.disputes.list()
    expect(performance.now() - begun).toBeGreaterThan(140)
  })
})

describe('a stored 500', () => {
  it.each(['500_stored', '500_after_apply'])('%s is replayed for its key', async (kind) => {
    await using c = await connect()
    const { ref } = await closeWithFault(c, { kind, count: 1 })
    const again = await c.raw(`POST /v1/disputes/${ref}/close`, { body: '', headers: { 'idempotency-key': 'k' } })
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([500, 'true'])
  })
})

describe('arming', () => {
  it('affects the next count matching calls, then no more', async () => {
    await using c = await connect()
    await c.control('POST /faults', { kind: '500', count: 2, match: { method: 'GET', path: '/v1/disputes' } })
    const statuses: number[] = []
    for (const path of ['/v1/account', '/v1/disputes', '/v1/disputes', '/v1/disputes']) {
      statuses.push((await c.raw(`GET ${path}`)).status)
    }
    expect(statuses).toEqual([200, 500, 500, 200])
    expect((await c.control('GET /calls')).body.calls.map((call: { outcome: string }) => call.outcome)).toEqual([
      'answered',
      '500',
      '500',
      'answered',
    ])
  })

  it('matches by prefix, suffix, placeholder, or exactly', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1 })
    const hits = async (match: object, path: string): Promise<boolean> => {
      await c.control('DELETE /faults')
      await c.control('POST /faults', { kind: '500', count: 1, match })
      return (await c.raw(`GET ${path}`)).status === 500
    }
    expect(await hits({ path: '/v1/disputes' }, `/v1/disputes/${ref}`)).toBe(true)
    expect(await hits({ path: '/v1/disputes', exact: true }, `/v1/disputes/${ref}`)).toBe(false)
    expect(await hits({ path: '/v1/disputes', exact: true }, '/v1/disputes?limit=1')).toBe(true)
    expect(await hits({ path: '/v1/disputes/{id}', exact: true }, `/v1/disputes/${ref}`)).toBe(true)
    expect(await hits({ path: '/v1/*/x' }, `/v1/disputes/${ref}`)).toBe(false)
    expect(await hits({ path: 'account' }, '/v1/account')).toBe(true)
    expect(await hits({ method: 'post' }, '/v1/account')).toBe(false)
  })

  it('DELETE /faults clears the faults', async () => {
    await using c = await connect()
    await c.control('POST /faults', { kind: '500', count: 5 })
    expect((await c.control('DELETE /faults')).body).toEqual({ cleared: 1 })
    expect((await c.raw('GET /v1/disputes')).status).toBe(200)
  })
})

describe('faults of a list', () => {
  it.each([
    ['empty_page', 0, true],
    ['repeated_item', 4, false],
    ['endless_pages', 3, true],
  ])('%s', async (kind, length, hasMore) => {
    await using c = await connect()
    await c.create({ count: 3 })
    await c.control('POST /faults', { kind, count: 1 })
    const page = await c.stripe.disputes.list({ limit: 100 })
    expect([page.data.length, page.has_more]).toEqual([length, hasMore])
  })
})
