import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldSums } from '../../../../db/analytics/fold-sums.ts'
import { addChargeback, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import type { Stage } from '../stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  const day = (text: string) => new Date(`${text}T12:00:00Z`)
  const rows = [
    // Won after 10 days, lost after 12 and 40, split after 20: the median is 12.
    {
      amount_minor: 1_000n,
      posting_date: day('2026-01-05'),
      psp_status: 'won',
      psp_status_change_date: day('2026-01-15'),
    },
    {
      amount_minor: 3_000n,
      posting_date: day('2026-01-20'),
      psp_status: 'lost',
      psp_status_change_date: day('2026-02-01'),
    },
    {
      amount_minor: 500n,
      posting_date: day('2026-01-31'),
      psp_status: 'lost',
      psp_status_change_date: day('2026-03-12'),
    },
    {
      amount_minor: 2_000n,
      posting_date: day('2026-02-01'),
      psp_status: 'split',
      psp_status_change_date: day('2026-02-21'),
    },
    { amount_minor: 700n, currency: 'USD', psp: 'adyen', posting_date: day('2026-02-10'), due_date: day('2030-01-03') },
    { amount_minor: 900n, currency: 'JPY', amount_exponent: 0, posting_date: null, due_date: null },
    // The same week, from Monday to Sunday.
    { amount_minor: 250n, posting_date: day('2026-02-11'), due_date: day('2029-12-31') },
    { amount_minor: 250n, posting_date: day('2026-02-11'), due_date: day('2030-01-06') },
    { amount_minor: 111n, posting_date: day('2026-02-12'), psp_status: 'under_review', due_date: day('2026-03-01') },
    { amount_minor: 222n, posting_date: day('2026-02-12'), lifecycle_stage: 'inquiry', reason_group: 'general' },
  ]
  for (const row of rows) await addChargeback(stage.db, at, { currency: 'EUR', due_date: day('2026-03-01'), ...row })
})
afterAll(() => stage[Symbol.asyncDispose]())

const get = (path: string, options = {}) => stage.call('GET', `/v1/analytics/${path}`, options)
const summary = async (query = '') => {
  const { status, body, text } = await get(`summary?${query}`)
  expect(status, text).toBe(200)
  return body.data
}

describe('GET /analytics/summary', () => {
  it('adds up everything, in each currency, without dimensions', async () => {
    const { groups } = await summary()
    expect(groups).toEqual([
      {
        ...{ chargebacks: 10, open: 6, won: 1, lost: 2, split: 1, winRate: 0.375, medianDaysToDecision: 12 },
        amounts: [
          {
            ...{ currency: 'EUR', amount: 73.33, openAmount: 8.33, wonAmount: 10, lostAmount: 35, splitAmount: 20 },
            winRate: 0.3077,
          },
          { currency: 'JPY', amount: 900, openAmount: 900, wonAmount: 0, lostAmount: 0, splitAmount: 0 },
          { currency: 'USD', amount: 7, openAmount: 7, wonAmount: 0, lostAmount: 0, splitAmount: 0 },
        ],
      },
    ])
  })

  it('is by two dimensions, in the order of their values, and leaves out a month that is not known', async () => {
    const { groups } = await summary('by=psp,month')
    expect(groups.map(({ amounts: _, ...rest }: { amounts: unknown }) => rest)).toEqual(
      [
        { month: '2026-02', psp: 'adyen', chargebacks: 1, open: 1, won: 0, lost: 0, split: 0 },
        {
          ...{ month: '2026-01', psp: 'stripe', chargebacks: 3, open: 0, won: 1, lost: 2, split: 0 },
          ...{ winRate: 0.3333, medianDaysToDecision: 12 },
        },
        {
          ...{ month: '2026-02', psp: 'stripe', chargebacks: 5, open: 4, won: 0, lost: 0, split: 1 },
          // Twenty days are kept as the week from day 14 on.
          ...{ winRate: 0.5, medianDaysToDecision: 17 },
        },
        { psp: 'stripe', chargebacks: 1, open: 1, won: 0, lost: 0, split: 0 },
      ].sort((a, b) => (a.month ?? 'x').localeCompare(b.month ?? 'x') || a.psp.localeCompare(b.psp)),
    )
  })

  it.each(['psp', 'currency', 'reasonGroup', 'status', 'pspStatus', 'lifecycleStage', 'month'])(
    'by %s adds up to the total',
    async (dimension) => {
      const { groups } = await summary(`by=${dimension}`)
      expect(groups.length).toBeGreaterThan(0)
      expect(groups.reduce((sum: number, { chargebacks }: { chargebacks: number }) => sum + chargebacks, 0)).toBe(10)
      const euros = groups.flatMap(({ amounts }: { amounts: { currency: string; amount: number }[] }) =>
        amounts.filter(({ currency }) => currency === 'EUR').map(({ amount }) => Math.round(amount * 100)),
      )
      expect(euros.reduce((sum: number, cents: number) => sum + cents, 0)).toBe(7_333)
    },
  )

  it('value at risk is by the week of the due date, earliest first; none for what waits for the PSP', async () => {
    const { dueWeeks } = await summary()
    expect(dueWeeks).toEqual([
      { week: '2026-02-23', currency: 'EUR', chargebacks: 1, amount: 2.22 },
      { week: '2029-12-31', currency: 'EUR', chargebacks: 2, amount: 5 },
      { week: '2029-12-31', currency: 'USD', chargebacks: 1, amount: 7 },
      { currency: 'JPY', chargebacks: 1, amount: 900 },
    ])
  })

  it('filters by words and months', async () => {
    const count = async (query: string) =>
      (await summary(query)).groups.reduce((sum: number, one: { chargebacks: number }) => sum + one.chargebacks, 0)
    expect(await count('psp=adyen')).toBe(1)
    expect(await count('pspStatus=won,split')).toBe(2)
    expect(await count('startMonth=2026-02')).toBe(6)
    expect(await count('startMonth=2026-01&endMonth=2026-01')).toBe(3)
    expect(await count('currency=EUR&lifecycleStage=inquiry')).toBe(1)
    expect(await count('reasonGroup=compliance')).toBe(0)
  })

  it('follows each change at once, and is the same after the sums were folded', async () => {
    const id = await addChargeback(stage.db, at, { currency: 'EUR', psp_status: 'needs_response' })
    expect((await summary()).groups[0]).toMatchObject({ chargebacks: 11, open: 7, won: 1 })
    await stage.db.updateTable('chargeback').set({ psp_status: 'won' }).where('id', '=', id).execute()
    const before = await summary('by=status,psp')
    expect((await summary()).groups[0]).toMatchObject({ chargebacks: 11, open: 6, won: 2 })
    while ((await foldSums(stage.db, 3)) > 0);
    expect(await summary('by=status,psp')).toEqual(before)
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
    expect((await summary()).groups[0]).toMatchObject({ chargebacks: 10 })
  })

  it('has nothing of another merchant', async () => {
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'other-shop')
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
    expect((await get('summary', { token })).body.data).toEqual({ groups: [], dueWeeks: [] })
  })

  it.each([
    ['by=psp,month,currency', 'by: Must have at most 2 values'],
    ['by=arn', 'by: Must be among psp'],
    ['startMonth=2026-02&endMonth=2026-01', 'startMonth: Must not be above endMonth'],
    ['startMonth=2026-13', 'startMonth: Must be a month'],
    ['startDate=2026-01-01T00:00:00Z', 'startDate: Unknown parameter. There are by'],
    ['psp=x', 'psp: Must be among'],
  ])('%s is refused', async (query, words) => {
    const { status, body } = await get(`summary?${query}`)
    expect(status).toBe(400)
    expect(body.message).toContain(words)
  })
})

describe('GET /analytics/ratio', () => {
  it('has chargebacks per transaction of the same month and of the month before', async () => {
    for (const [n, when] of [
      '2025-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00Z',
      '2026-01-31T23:59:59Z',
      '2026-02-05T00:00:00Z',
    ].entries())
      await stage.call('POST', '/v1/transactions', { body: { transactionId: `ch_${n}`, transactionCreatedDate: when } })
    const { body } = await get('ratio?startMonth=2026-01&endMonth=2026-03')
    expect(body.data).toEqual([
      { month: '2026-01', transactions: 2, chargebacks: 3, ratio: 1.5, ratioToMonthBefore: 3 },
      // Without the inquiry.
      { month: '2026-02', transactions: 1, chargebacks: 5, ratio: 5, ratioToMonthBefore: 2.5 },
      { month: '2026-03', transactions: 0, chargebacks: 0, ratioToMonthBefore: 0 },
    ])
  })

  it('is about the last twelve months by default', async () => {
    const { body } = await get('ratio')
    expect(body.data).toHaveLength(12)
    expect(body.data.at(-1).month).toBe(new Date().toISOString().slice(0, 7))
  })

  it('refuses more than 36 months and months in reverse', async () => {
    expect((await get('ratio?startMonth=2023-01&endMonth=2025-12')).status).toBe(200)
    expect((await get('ratio?startMonth=2022-12&endMonth=2025-12')).body.message).toMatch(/^startMonth: .*36 months/)
    expect((await get('ratio?startMonth=2026-02&endMonth=2026-01')).status).toBe(400)
  })
})
