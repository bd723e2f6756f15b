import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createStage, type Stage } from '../stage.ts'
import { addChargeback, addIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: { merchantUuid: string; integrationId: string }
/** The fixture in the order of the list. */
let ids: string[]

const day = (n: number) => new Date(Date.UTC(2026, 0, n, 12))
const PSP_STATUSES = ['needs_response', 'under_review', 'won', 'lost'] as const
const STATUSES = ['waiting_for_data', 'building_evidence', 'pending_psp_results', 'not_represented'] as const

beforeAll(async () => {
  stage = await createStage()
  at = {
    merchantUuid: stage.merchantUuid,
    integrationId: await addIntegration(stage.db, stage.ring, stage.merchantUuid),
  }
  const made: { id: string; posted: number }[] = []
  for (let n = 0; n < 30; n++) {
    // Three of each day, the last five without a posting date.
    const posting_date = n < 25 ? day(1 + Math.floor(n / 3)) : null
    const id = await addChargeback(stage.db, at, {
      chargeback_id: `du_${n}`,
      posting_date,
      psp: n % 2 === 0 ? 'stripe' : 'paypal',
      psp_status: PSP_STATUSES[n % 4] ?? 'won',
      status: STATUSES[n % 4] ?? 'not_represented',
      enrichment_ratio: (n / 30).toFixed(4),
      psp_status_change_date: n % 3 === 0 ? day(1 + n) : null,
    })
    made.push({ id, posted: posting_date?.getTime() ?? Number.NEGATIVE_INFINITY })
  }
  ids = made.sort((a, b) => b.posted - a.posted || (a.id < b.id ? 1 : -1)).map((one) => one.id)
})
afterAll(() => stage[Symbol.asyncDispose]())

const list = (query = '', options = {}) => stage.call('GET', `/v1/chargebacks${query}`, options)
const idsOf = (response: { body: { data: { id: string }[] } }) => response.body.data.map((one) => one.id)
const numbers = async (query: string) => {
  const { body, status } = await list(`?limit=100&${query}`)
  expect(status).toBe(200)
  return body.data
    .map((one: { chargebackId: string }) => Number(one.chargebackId.slice(3)))
    .sort((a: number, b: number) => a - b)
}
const where = (test: (n: number) => boolean) => Array.from({ length: 30 }, (_, n) => n).filter(test)

describe('order and paging of GET /chargebacks', () => {
  it('is by posting date descending, missing dates last, then by id descending; ten per page by default', async () => {
    const { body } = await list()
    expect(body).toMatchObject({ status: 200, message: 'Chargebacks retrieved', hasMore: true })
    expect(idsOf({ body })).toEqual(ids.slice(0, 10))
  })

  it('pages through everything without a gap or a repetition', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?page=${page}`)))
    expect(pages.flatMap(idsOf)).toEqual(ids)
    expect(pages.map((page) => page.body.hasMore)).toEqual([true, true, false, false])
    expect(pages[2]?.body).not.toHaveProperty('nextCursor')
    expect(pages[3]?.body.data).toEqual([])
  })

  it('sets hasMore to false if the page holds exactly the rest', async () => {
    expect((await list('?limit=30')).body.hasMore).toBe(false)
    expect((await list('?limit=29')).body.hasMore).toBe(true)
  })

  it('returns an empty page far past the end', async () => {
    expect((await list('?page=999999999999999')).body).toMatchObject({ hasMore: false, data: [] })
  })

  it('follows cursors, also from pages and over chargebacks without a posting date', async () => {
    const seen: string[] = []
    let query = '?limit=11'
    for (let more = true; more; ) {
      const response = await list(query)
      seen.push(...idsOf(response))
      more = response.body.hasMore
      expect(response.body.nextCursor !== undefined).toBe(more)
      query = `?limit=11&cursor=${response.body.nextCursor}`
    }
    expect(seen).toEqual(ids)
    const second = await list('?page=2')
    expect(idsOf(await list(`?limit=10&cursor=${second.body.nextCursor}`))).toEqual(ids.slice(20))
  })

  it('refuses a cursor of other filters or another merchant, or an invalid one', async () => {
    const { nextCursor } = (await list('?psp=stripe')).body
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await list(`?psp=stripe&limit=50&cursor=${nextCursor}`)).status).toBe(200)
    for (const response of [
      await list(`?cursor=${nextCursor}`),
      await list(`?psp=paypal&cursor=${nextCursor}`),
      await list(`?psp=stripe&cursor=${nextCursor}`, { token }),
      await list(`?psp=stripe&cursor=${nextCursor.slice(0, -8)}AAAAAAAA`),
      await list('?cursor=v1.test.AAAA.AAAA'),
      await list('?cursor='),
    ])
      expect(response).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  it('shows nothing of another merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Empty' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await list('?limit=100', { token })).body).toMatchObject({ hasMore: false, data: [] })
  })
})

describe('filters of GET /chargebacks', () => {
  it('startDate and endDate include both ends and exclude chargebacks without a posting date', async () => {
    expect(await numbers(`startDate=${day(8).toISOString()}`)).toEqual(where((n) => n >= 21 && n < 25))
    expect(await numbers(`endDate=${day(2).toISOString()}`)).toEqual(where((n) => n < 6))
    expect(await numbers(`startDate=${day(2).toISOString()}&endDate=${day(3).toISOString()}`)).toEqual(
      where((n) => n >= 3 && n < 9),
    )
    expect(await numbers('endDate=2026-01-02T11:59:59.999Z')).toEqual([0, 1, 2])
    expect(await numbers('startDate=2026-01-08T14:00:00%2B02:00')).toEqual([21, 22, 23, 24])
  })

  it('chargebackId is the PSP’s identifier, exactly', async () => {
    expect(await numbers('chargebackId=du_7')).toEqual([7])
    expect(await numbers('chargebackId=DU_7')).toEqual([])
    expect(await numbers(`chargebackId=${encodeURIComponent("' or 1=1 --")}`)).toEqual([])
  })

  it('psp, pspStatus and status', async () => {
    expect(await numbers('psp=paypal')).toEqual(where((n) => n % 2 === 1))
    expect(await numbers('pspStatus=won')).toEqual(where((n) => n % 4 === 2))
    expect(await numbers('status=building_evidence')).toEqual(where((n) => n % 4 === 1))
    expect(await numbers('psp=adyen')).toEqual([])
  })

  it('minEnrichmentScore and maxEnrichmentScore include both ends', async () => {
    expect(await numbers('minEnrichmentScore=0.5')).toEqual(where((n) => n >= 15))
    expect(await numbers('maxEnrichmentScore=0.1')).toEqual(where((n) => n <= 3))
    expect(await numbers('minEnrichmentScore=0.2&maxEnrichmentScore=0.3')).toEqual([6, 7, 8, 9])
    expect(await numbers('minEnrichmentScore=0&maxEnrichmentScore=1')).toHaveLength(30)
  })

  it('pspStatusChangeStartDate and pspStatusChangeEndDate include both ends', async () => {
    const [low, high] = [day(4).toISOString(), day(10).toISOString()]
    expect(await numbers(`pspStatusChangeStartDate=${low}&pspStatusChangeEndDate=${high}`)).toEqual([3, 6, 9])
    expect(await numbers(`pspStatusChangeEndDate=${low}`)).toEqual([0, 3])
    expect(await numbers(`pspStatusChangeStartDate=${day(28).toISOString()}`)).toEqual([27])
  })

  it('all twelve work together, and a misspelt one is refused', async () => {
    const all = new URLSearchParams({
      limit: '10',
      page: '1',
      startDate: day(1).toISOString(),
      endDate: day(9).toISOString(),
      chargebackId: 'du_6',
      psp: 'stripe',
      pspStatus: 'won',
      status: 'pending_psp_results',
      minEnrichmentScore: '0.2',
      maxEnrichmentScore: '0.2',
      pspStatusChangeStartDate: day(7).toISOString(),
      pspStatusChangeEndDate: day(7).toISOString(),
    })
    const { body } = await list(`?${all}`)
    expect(body.data.map((one: { chargebackId: string }) => one.chargebackId)).toEqual(['du_6'])
    all.set('pspstatus', 'won')
    const misspelt = await list(`?${all}`)
    expect([misspelt.status, misspelt.body.message]).toEqual([
      400,
      'pspstatus: Unknown parameter. Did you mean pspStatus?',
    ])
  })
})

describe('refusals of GET /chargebacks', () => {
  it.each([
    ['limit=9', 'limit'],
    ['limit=101', 'limit'],
    ['limit=10.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=-10', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=10&limit=20', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=99999999999999999999', 'page'],
    ['psp=Stripe', 'psp'],
    ['pspStatus=open', 'pspStatus'],
    ['status=', 'status'],
    ['startDate=2026-01-01', 'startDate'],
    ['startDate=yesterday', 'startDate'],
    ['endDate=2026-02-30T00:00:00Z', 'endDate'],
    ['endDate=2026-01-01T00:00:00', 'endDate'],
    ['startDate=2026-01-02T00:00:00Z&endDate=2026-01-01T00:00:00Z', 'startDate'],
    ['minEnrichmentScore=-0.1', 'minEnrichmentScore'],
    ['maxEnrichmentScore=1.01', 'maxEnrichmentScore'],
    ['minEnrichmentScore=NaN', 'minEnrichmentScore'],
    ['minEnrichmentScore=0.6&maxEnrichmentScore=0.5', 'minEnrichmentScore'],
    ['pspStatusChangeStartDate=x', 'pspStatusChangeStartDate'],
    [
      'pspStatusChangeStartDate=2026-01-02T00:00:00Z&pspStatusChangeEndDate=2026-01-01T00:00:00Z',
      'pspStatusChangeStartDate',
    ],
    ['chargebackId=', 'chargebackId'],
    ['chargebackId=a%00b', 'chargebackId'],
    ['page=2&cursor=x', 'page'],
  ])('%s names %s', async (query, field) => {
    const response = await list(`?${query}`)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toMatch(new RegExp(`^${field}: `))
  })

  it('name every invalid field in one response', async () => {
    const { body } = await list('?limit=1&page=0&psp=x&minEnrichmentScore=0.9&maxEnrichmentScore=0.1')
    for (const field of ['limit', 'page', 'psp', 'minEnrichmentScore']) expect(body.message).toContain(`${field}: `)
  })
})
