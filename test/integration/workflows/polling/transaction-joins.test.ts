import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPollingFixture } from '../polling-fixture.ts'

let workshop: Awaited<ReturnType<typeof openPollingFixture>>
beforeAll(async () => {
  workshop = await openPollingFixture()
})
afterAll(() => workshop[Symbol.asyncDispose]())

const newDisputes = (account: string, count: number, order: object = {}) =>
  workshop.control('POST', '/disputes', {
    count,
    account,
    status: 'needs_response',
    stage: 'chargeback',
    dueInHours: 400,
    ...order,
  })

const order = { transactionOrderDeviceId: 'device-1', transactionOrderSteamId: 'account-1' }

describe('transaction records that are stored before their chargebacks', () => {
  test('join as the chargebacks arrive, with a number of statements that does not depend on theirs', async () => {
    await newDisputes('acct_joins', 60)
    const first = await workshop.merchantOf('acct_joins')
    const without = await first.poll()
    const ids = (await first.all()).map((one) => one.transaction_id as string)
    expect(new Set(ids).size).toBe(60)

    const [few, many] = [await workshop.merchantOf('acct_joins'), await workshop.merchantOf('acct_joins')]
    for (const id of ids.slice(0, 3)) await few.addTransaction(id, order)
    for (const id of ids) await many.addTransaction(id, order)
    const [three, sixty] = [await few.poll(), await many.poll()]
    expect((await few.all()).filter((one) => one.is_enriched)).toHaveLength(3)
    expect((await many.all()).filter((one) => one.is_enriched)).toHaveLength(60)
    // At most two statements are skipped because they have nothing to do.
    expect(Math.abs(sixty - three)).toBeLessThanOrEqual(2)
    // Of these ten, and three are those of a transaction: a page without records is one statement.
    expect(sixty - without).toBeLessThanOrEqual(13)

    const one = await many.one()
    expect(one.data_points).toEqual(Object.keys(order))
    expect((await many.events(one.id)).slice(0, 2)).toEqual(['stripe: ingested', 'stripe: transaction joined'])
    // A second poll changes nothing.
    const before = await many.all()
    await many.poll()
    expect(await many.all()).toEqual(before)
  })

  test('stay joined next to the data of the PSP’s own transaction', async () => {
    await newDisputes('acct_union', 1)
    const merchant = await workshop.merchantOf('acct_union')
    await merchant.poll()
    const { id, transaction_id } = await merchant.one()
    await merchant.addTransaction(transaction_id as string, order)
    await merchant.enrich()
    const { context_points, data_points } = await merchant.one()
    expect(context_points.length).toBeGreaterThan(0)
    expect(data_points).toEqual([...new Set([...Object.keys(order), ...context_points])].sort())
    expect(await merchant.events(id)).toEqual(expect.arrayContaining(['stripe: enriched']))
    await merchant.addTransaction(transaction_id as string, {
      transactionOrderDeviceId: '',
      transactionOrderSteamId: '',
    })
    expect(await merchant.one()).toMatchObject({ data_points: [...context_points].sort(), is_enriched: true })
  })

  test('are joined by the reconciler when the two were stored at the same moment', async () => {
    await newDisputes('acct_missed', 1)
    const merchant = await workshop.merchantOf('acct_missed')
    await merchant.poll()
    const { id, transaction_id } = await merchant.one()
    await merchant.addTransaction(transaction_id as string, order)
    // As if their two transactions had not seen each other.
    const blank = { is_enriched: false, data_points: [] }
    await workshop.db.updateTable('chargeback').set(blank).where('id', '=', id).execute()
    expect(await workshop.mendJoins()).toBe(1)
    expect(await merchant.one()).toMatchObject({ is_enriched: true, data_points: Object.keys(order) })
    expect((await merchant.events(id)).filter((one) => one === 'reconciler: transaction joined')).toHaveLength(1)
    expect(await workshop.mendJoins()).toBe(0)
  })

  test('an earlier purchase that is disputed itself stops being compelling evidence', async () => {
    const merchant = await workshop.merchantOf('acct_evidence')
    await newDisputes('acct_evidence', 1, { reason: 'fraudulent' })
    await merchant.poll()
    await merchant.enrich()
    const { id, transaction_id, posting_date, card_last_four_digits } = await merchant.one()
    const visa = { card_scheme: 'visa', reason_code: '10.4' }
    await workshop.db.updateTable('chargeback').set(visa).where('id', '=', id).execute()
    // The next dispute's charge is the earlier purchase.
    const { disputes } = await newDisputes('acct_elsewhere', 1)
    const detail = await workshop.control('GET', `/disputes/${disputes[0].ref}?account=acct_elsewhere`)
    const charge = detail.object.charge as string
    const card = {
      transactionCardLastFourDigits: card_last_four_digits as string,
      transactionOrderIpAddress: '203.0.113.9',
      transactionOrderEmail: 'b@example.com',
    }
    const daysBefore = (days: number) => new Date((posting_date as Date).getTime() - days * 86_400_000).toISOString()
    await merchant.addTransaction(transaction_id as string, { ...card, transactionCreatedDate: daysBefore(1) })
    for (const earlier of [charge, 'ch_other'])
      await merchant.addTransaction(earlier, { ...card, transactionCreatedDate: daysBefore(200) })
    const signals = async () => (await merchant.all()).find((one) => one.id === id)?.signals
    expect(await signals()).toEqual(['compelling_evidence'])
    await newDisputes('acct_evidence', 1, { fields: { charge } })
    await merchant.poll()
    expect(await signals()).toEqual([])
  })
})

describe('disputes of one transaction in different stages', () => {
  test('are linked in the timeline of both, whichever came first', async () => {
    const { disputes } = await newDisputes('acct_stages', 1, { stage: 'inquiry' })
    const merchant = await workshop.merchantOf('acct_stages')
    await merchant.poll()
    const earlier = await merchant.one()
    const detail = await workshop.control('GET', `/disputes/${disputes[0].ref}?account=acct_stages`)
    await newDisputes('acct_stages', 1, { fields: { charge: detail.object.charge } })
    await merchant.poll()
    const later = (await merchant.all()).find((one) => one.id !== earlier.id)
    expect(later).toMatchObject({ lifecycle_stage: 'chargeback', transaction_id: earlier.transaction_id })
    const link = async (id: string, what: string) =>
      (await merchant.timeline(id)).find((one) => one.what === what)?.after
    expect(await link(later?.id ?? '', 'follows an earlier chargeback')).toEqual({
      id: earlier.id,
      chargebackId: earlier.chargeback_id,
      lifecycleStage: 'inquiry',
    })
    expect(await link(earlier.id, 'continued by a later chargeback')).toMatchObject({ id: later?.id })

    const together = await workshop.merchantOf('acct_stages')
    await together.poll()
    const links = await Promise.all((await together.all()).map((one) => together.events(one.id)))
    expect(links.flat().filter((event) => / (earlier|later) chargeback$/.test(event))).toHaveLength(2)
  })
})
