import { describe, expect, it } from 'vitest'
import { connect, refusal } from './connect.ts'

describe('GET /v1/events', () => {
  it('lists events, newest first', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    await c.stripe.disputes.update(ref, { metadata: { a: '1' }, submit: false })
    await c.stripe.disputes.close(ref)
    const { data } = await c.stripe.events.list({ type: 'charge.dispute.*', limit: 100 })
    expect(data.map((event) => event.type)).toEqual([
      'charge.dispute.closed',
      'charge.dispute.updated',
      'charge.dispute.updated',
    ])
    expect(data[1]?.data.previous_attributes).toMatchObject({ status: 'needs_response' })
    expect(data[1]?.data.object).toMatchObject({ id: ref, status: 'lost' })
  })

  it('reports reinstated funds', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create({ count: 1, status: 'under_review', stage: 'chargeback' })
    await c.control(`POST /disputes/${ref}/decide`, { outcome: 'won' })
    const { data } = await c.stripe.events.list({ types: ['charge.dispute.funds_reinstated', 'charge.dispute.closed'] })
    expect(data.map((event) => event.type).toSorted()).toEqual([
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ])
  })

  it('drops events after 30 days', async () => {
    await using c = await connect()
    await c.create({ count: 10, ageDays: 20 })
    expect((await c.stripe.events.list({ limit: 100 })).data.length).toBeGreaterThan(0)
    await c.control('POST /clock', { seconds: 31 * 86_400 })
    const old = await c.stripe.events.list({ type: 'charge.dispute.created', limit: 100 })
    expect(old.data).toEqual([])
  })

  it('renders some events in an older version, without newer fields', async () => {
    await using c = await connect()
    await c.create({ count: 60, ageDays: 20 })
    const { data } = await c.stripe.events.list({ limit: 100 })
    const old = data.filter((event) => event.api_version === '2023-08-16')
    expect(old.length).toBeGreaterThan(0)
    expect(old.every((event) => !('intended_submission_method' in event.data.object))).toBe(true)
  })

  it('refuses type together with types, and more than 20 types', async () => {
    await using c = await connect()
    const both = c.stripe.events.list({ type: 'a', types: ['b'] })
    expect((await refusal(both)).statusCode).toBe(400)
    const many = c.stripe.events.list({ types: Array.from({ length: 21 }, (_, i) => `t${i}`) })
    expect((await refusal(many)).statusCode).toBe(400)
  })

  it('retrieves one event', async () => {
    await using c = await connect()
    await c.create({ count: 1, ageDays: 1 })
    const [event] = (await c.stripe.events.list({ limit: 1 })).data
    expect((await c.stripe.events.retrieve(event?.id ?? '')).id).toBe(event?.id)
    expect((await refusal(c.stripe.events.retrieve('evt_none'))).statusCode).toBe(404)
  })
})
