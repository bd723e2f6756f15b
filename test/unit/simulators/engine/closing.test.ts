import { describe, expect, it } from 'vitest'
import { type Anything, connect, refusal } from './connect.ts'

describe('POST /v1/disputes/{id}/close', () => {
  it.each(['chargeback', 'inquiry', 'claim', 'second_chargeback'])(
    'loses an open dispute in stage %s',
    async (stage) => {
      await using c = await connect()
      const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage })
      expect((await c.stripe.disputes.close(ref, {}, { idempotencyKey: 'a' })).status).toBe('lost')
      expect((await c.stripe.disputes.retrieve(ref)).status).toBe('lost')
      const { body } = await c.control('GET /effects')
      expect(body.effects).toMatchObject([{ kind: 'acceptance', ref, round: 1, idempotencyKey: 'a' }])
    },
  )

  it.each(['under_review', 'won', 'lost', 'prevented', 'warning_closed'])('refuses one that is %s', async (status) => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status })
    expect((await refusal(c.stripe.disputes.close(ref))).statusCode).toBe(400)
    expect((await c.control('GET /effects')).body.effects).toEqual([])
  })
})

describe('idempotency', () => {
  it('replays the first response for the same key', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response' })
    const close = () => c.raw(`POST /v1/disputes/${ref}/close`, { body: '', headers: { 'idempotency-key': 'once' } })
    const first = await close()
    const second = await close()
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await second.text()).toBe(await first.text())
    expect((await c.control('GET /effects')).body.total).toBe(1)
    expect((await c.control('GET /calls?path=close')).body.calls.map((call: Anything) => call.outcome)).toEqual([
      'answered',
      'replayed',
    ])
  })

  it('refuses a second close under another key', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
    await c.stripe.disputes.close(ref, {}, { idempotencyKey: 'one' })
    expect((await refusal(c.stripe.disputes.close(ref, {}, { idempotencyKey: 'two' }))).statusCode).toBe(400)
    expect((await c.control('GET /effects')).body.total).toBe(1)
  })

  it('refuses the same key with other parameters', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    const metadata = (a: string) =>
      c.stripe.disputes.update(ref, { metadata: { a }, submit: false }, { idempotencyKey: 'k' })
    await metadata('1')
    const error = await refusal(metadata('2'))
    expect([error.type, error.statusCode]).toEqual(['StripeIdempotencyError', 400])
  })

  it('returns 409 while a call with the same key is in progress', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
    const hold = await c.hold('/close', 'apply')
    const first = c.stripe.disputes.close(ref, {}, { idempotencyKey: 'k' })
    await expect.poll(async () => (await c.control(`GET /holds/${hold}`)).body.held.length).toBe(1)
    const error = await refusal(c.stripe.disputes.close(ref, {}, { idempotencyKey: 'k' }))
    expect([error.statusCode, error.code]).toEqual([409, 'idempotency_key_in_use'])
    await c.control(`DELETE /holds/${hold}`)
    expect((await first).status).toBe('lost')
  })

  it('stores a refusal caused by the state of the dispute, but not one caused by an invalid parameter', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'won' })
    const post = (path: string, key: string, body = '') =>
      c.raw(`POST ${path}`, { body, headers: { 'idempotency-key': key } })
    await post(`/v1/disputes/${ref}/close`, 'state')
    expect((await post(`/v1/disputes/${ref}/close`, 'state')).headers.get('idempotent-replayed')).toBe('true')
    await post(`/v1/disputes/${ref}`, 'wrong', 'foo=1')
    expect((await post(`/v1/disputes/${ref}`, 'wrong', 'foo=1')).headers.get('idempotent-replayed')).toBeNull()
  })

  it('forgets a key after a day', async () => {
    await using c = await connect()
    const [ref] = await c.create({ count: 1, status: 'needs_response', dueInHours: 500 })
    const close = () => c.raw(`POST /v1/disputes/${ref}/close`, { body: '', headers: { 'idempotency-key': 'once' } })
    await close()
    await c.control('POST /clock', { seconds: 25 * 3600 })
    expect((await close()).status).toBe(400)
  })

  it('refuses a key of more than 255 characters', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response' })
    expect((await refusal(c.stripe.disputes.close(ref, {}, { idempotencyKey: 'k'.repeat(256) }))).statusCode).toBe(400)
  })
})
