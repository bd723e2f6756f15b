import { describe, expect, it } from 'vitest'
import { type Connected, connect, refusal } from './connect.ts'

async function heldClose(
  c: Connected,
  release: 'apply' | 'drop',
): Promise<{ ref: string; hold: string; call: Promise<unknown> }> {
  const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
  const hold = await c.hold(`/v1/disputes/${ref}/close`, release, 'POST')
  const call = c.stripe.disputes.close(ref, {}, { idempotencyKey: 'k' })
  call.catch(() => undefined)
  await expect.poll(async () => (await c.control(`GET /holds/${hold}`)).body.held.length).toBe(1)
  return { ref, hold, call }
}

describe('holds', () => {
  it('shows the held request and applies nothing meanwhile', async () => {
    await using c = await connect()
    const { ref, hold } = await heldClose(c, 'apply')
    const { body } = await c.control('GET /holds')
    expect(body.holds).toMatchObject([
      { id: hold, held: [{ method: 'POST', path: `/v1/disputes/${ref}/close`, idempotencyKey: 'k' }] },
    ])
    expect((await c.control('GET /calls')).body.calls).toMatchObject([{ outcome: 'held', status: null }])
    expect((await c.stripe.disputes.retrieve(ref)).status).toMatch(/needs_response$/)
  })

  it('applies and responds when released', async () => {
    await using c = await connect()
    const { hold, call } = await heldClose(c, 'apply')
    expect((await c.control(`DELETE /holds/${hold}`)).body.released).toBe(1)
    expect(await call).toMatchObject({ status: 'lost' })
  })

  it('drops without an effect when released', async () => {
    await using c = await connect()
    const { ref, hold, call } = await heldClose(c, 'drop')
    await c.control(`DELETE /holds/${hold}`)
    expect((await refusal(call)).type).toBe('StripeConnectionError')
    expect((await c.stripe.disputes.retrieve(ref)).status).toMatch(/needs_response$/)
    expect((await c.control('GET /effects')).body.total).toBe(0)
  })

  it('applies the call of a client that has disconnected', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
    const hold = await c.hold('/close', 'apply')
    const client = new AbortController()
    const call = fetch(`${c.simulator.url}/v1/disputes/${ref}/close`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa('sk_test_recoupdemo4eC39HqLyjWDarjtT1zdp7dc:')}`,
        'idempotency-key': 'k',
      },
      signal: client.signal,
    })
    call.catch(() => undefined)
    await expect.poll(async () => (await c.control(`GET /holds/${hold}`)).body.held.length).toBe(1)
    client.abort()
    await refusal(call)
    await c.control(`DELETE /holds/${hold}`)
    await expect.poll(async () => (await c.stripe.disputes.retrieve(ref)).status).toBe('lost')
  })

  it('holds one request and lets the next one pass', async () => {
    await using c = await connect()
    await c.hold('/v1/disputes', 'apply', 'GET')
    const held = c.stripe.disputes.list()
    held.catch(() => undefined)
    await expect.poll(async () => (await c.control('GET /holds')).body.holds[0].held.length).toBe(1)
    expect((await c.stripe.disputes.list()).data).toEqual([])
  })

  it('shuts down quickly with a held request', async () => {
    const c = await connect()
    const { call } = await heldClose(c, 'apply')
    const begun = performance.now()
    await c[Symbol.asyncDispose]()
    expect(performance.now() - begun).toBeLessThan(1000)
    expect((await refusal(call)).type).toBe('StripeConnectionError')
  })

  it('returns 404 for an unknown hold', async () => {
    await using c = await connect()
    expect((await c.control('DELETE /holds/hold_9')).status).toBe(404)
  })
})
