import { describe, expect, it } from 'vitest'
import { type Anything, connect, refusal } from './connect.ts'

describe('GET /v1/disputes', () => {
  it('pages through every dispute once, newest first, whatever the page size', async () => {
    await using c = await connect()
    const refs = await c.create({ count: 60 })
    for (const limit of [7, 25, 100]) {
      const seen: { id: string; created: number }[] = []
      for await (const dispute of c.stripe.disputes.list({ limit })) seen.push(dispute)
      expect(new Set(seen.map((d) => d.id))).toEqual(new Set(refs))
      expect(seen).toHaveLength(60)
      expect(seen.map((d) => d.created)).toEqual(seen.map((d) => d.created).toSorted((a, b) => b - a))
    }
  })

  it('has disputes that were created in the same second', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const { data } = await c.stripe.disputes.list({ limit: 100 })
    expect(new Set(data.map((d) => d.created)).size).toBeLessThan(60)
  })

  it('returns 10 by default and shows whether there are more', async () => {
    await using c = await connect()
    await c.create({ count: 20 })
    const first = await c.stripe.disputes.list()
    expect([first.data.length, first.has_more]).toEqual([10, true])
    const second = await c.stripe.disputes.list({ starting_after: first.data[9]?.id ?? '' })
    expect([second.data.length, second.has_more]).toEqual([10, false])
  })

  it('pages backwards with ending_before', async () => {
    await using c = await connect()
    await c.create({ count: 20 })
    const { data } = await c.stripe.disputes.list({ limit: 100 })
    const back = await c.stripe.disputes.list({ limit: 5, ending_before: data[12]?.id ?? '' })
    expect(back.data.map((d) => d.id)).toEqual(data.slice(7, 12).map((d) => d.id))
    expect(back.has_more).toBe(true)
  })

  it('filters by created, with each of the four bounds', async () => {
    await using c = await connect()
    await c.create({ count: 30 })
    const { data } = await c.stripe.disputes.list({ limit: 100 })
    const middle = data[15]?.created ?? 0
    const ids = async (created: object | number): Promise<string[]> =>
      (await c.stripe.disputes.list({ created, limit: 100 })).data.map((d) => d.id)
    const matching = (test: (created: number) => boolean): string[] =>
      data.filter((d) => test(d.created)).map((d) => d.id)
    expect(await ids({ gte: middle })).toEqual(matching((at) => at >= middle))
    expect(await ids({ gt: middle })).toEqual(matching((at) => at > middle))
    expect(await ids({ lt: middle })).toEqual(matching((at) => at < middle))
    expect(await ids({ lte: middle, gt: middle - 86_400 })).toEqual(
      matching((at) => at <= middle && at > middle - 86_400),
    )
    expect(await ids(middle)).toEqual(matching((at) => at === middle))
  })

  it('filters by charge and by payment intent', async () => {
    await using c = await connect()
    await c.create({ count: 20 })
    const { data } = await c.stripe.disputes.list({ limit: 100 })
    const wanted = data.find((d) => d.payment_intent !== null)
    const byCharge = await c.stripe.disputes.list({ charge: String(wanted?.charge) })
    const byIntent = await c.stripe.disputes.list({ payment_intent: String(wanted?.payment_intent) })
    expect(byCharge.data.map((d) => d.id)).toEqual([wanted?.id])
    expect(byIntent.data.map((d) => d.id)).toEqual([wanted?.id])
    expect((await c.stripe.disputes.list({ charge: 'ch_unknown' })).data).toEqual([])
  })

  it('shows disputes that were created later', async () => {
    await using c = await connect()
    await c.create({ count: 20 })
    const newest = (await c.stripe.disputes.list({ limit: 1 })).data[0]?.created ?? 0
    const [late] = await c.create({ count: 1 })
    const { data } = await c.stripe.disputes.list({ created: { gte: newest }, limit: 100 })
    expect(data.map((d) => d.id)).toContain(late)
  })

  it.each([
    ['status=lost', 'status'],
    ['created[since]=5', 'created[since]'],
    ['__proto__[x]=1', '__proto__[x]'],
  ])('refuses the unknown parameter %s', async (query, param) => {
    await using c = await connect()
    const response = await c.raw(`GET /v1/disputes?${query}`)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { code: string; param: string } }
    expect(error.code).toBe('parameter_unknown')
    expect(param.startsWith(error.param)).toBe(true)
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'created[gte]=yesterday',
    'starting_after=du_none',
    'expand=data.charge',
  ])('refuses %s', async (query) => {
    await using c = await connect()
    expect((await c.raw(`GET /v1/disputes?${query}`)).status).toBe(400)
  })
})

describe('expand', () => {
  it.each(['expand[]=data.charge', 'expand[0]=data.charge', 'expand%5B0%5D=data.charge', 'expand%5B%5D=data.charge'])(
    'accepts %s',
    async (query) => {
      await using c = await connect()
      await c.create({ count: 1 })
      const response = await c.raw(`GET /v1/disputes?${query}`)
      const { data } = (await response.json()) as { data: { charge: { object: string } }[] }
      expect(data[0]?.charge.object).toBe('charge')
    },
  )

  it('goes four levels deep', async () => {
    await using c = await connect()
    await c.create({ count: 30 })
    const expand = ['data.charge.balance_transaction', 'data.charge.payment_intent.customer', 'data.payment_intent']
    const { data } = await c.stripe.disputes.list({ limit: 100, expand })
    const charges = data.map((d) => d.charge as Anything)
    expect(charges.every((charge) => charge.balance_transaction.object === 'balance_transaction')).toBe(true)
    expect(charges.some((charge) => charge.payment_intent?.customer?.object === 'customer')).toBe(true)
    expect(charges.every((charge) => charge.refunds === undefined)).toBe(true)
  })

  it('includes the refunds of a charge on request', async () => {
    await using c = await connect()
    await c.create({ count: 40 })
    const { data } = await c.stripe.disputes.list({ limit: 100, expand: ['data.charge.refunds'] })
    const refunds = data.flatMap((d) => (d.charge as Anything).refunds.data)
    expect(refunds.length).toBeGreaterThan(0)
    expect(refunds.some((refund) => /^7\d{22}$/.test(refund.destination_details.card.reference))).toBe(true)
  })

  it.each([
    ['data.charge.customer.name.first', 'more than 4'],
    ['data.reason', 'cannot be expanded'],
    ['charge', 'data.charge'],
  ])('refuses %s', async (path, why) => {
    await using c = await connect()
    await c.create({ count: 1 })
    const error = await refusal(Promise.resolve(c.stripe.disputes.list({ expand: [path] })))
    expect(error.statusCode).toBe(400)
    expect(error.message).toContain(why)
  })
})
