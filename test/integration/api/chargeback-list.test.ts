import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../db/accounts.ts'
import { addChargeback, addIntegration } from './chargeback-rows.ts'
import { createStage, type Stage } from './stage.ts'

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
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map((one) => one.id)
const numbers = async (query: string) => {
  const { body, status } = await list(`?limit=100&${query}`)
  expect(status).toBe(200)
  return body.data
    .map((one: { chargebackId: string }) => Number(one.chargebackId.slice(3)))
    .sort((a: number, b: number) => a - b)
}
const where = (test: (n: number) => boolean) => Array.from({ length: 30 }, (_, n) => n).filter(test)

describe('order and paging of GET /chargebacks', () => {
  it('is posting date descending, none last, then id descending; ten at first', async () => {
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

  it('has no more when the page holds exactly the rest', async () => {
    expect((await list('?limit=30')).body.hasMore).toBe(false)
    expect((await list('?limit=29')).body.hasMore).toBe(true)
  })

  it('answers a page far behind the end', async () => {
    expect((await list('?page=999999999999999')).body).toMatchObject({ hasMore: false, data: [] })
  })

  it('walks by cursor, from pages too, and over chargebacks without a posting date', async () => {
    const seen: string[] = []
    let query = '?limit=11'
    for (let more = true; more; ) {
      const answer = await list(query)
      seen.push(...idsOf(answer))
      more = answer.body.hasMore
      expect(answer.body.nextCursor !== undefined).toBe(more)
      query = `?limit=11&cursor=${answer.body.nextCursor}`
    }
    expect(seen).toEqual(ids)
    const second = await list('?page=2')
    expect(idsOf(await list(`?limit=10&cursor=${second.body.nextCursor}`))).toEqual(ids.slice(20))
  })

  it('refuses a cursor of other filters, another merchant, or nobody', async () => {
    const { nextCursor } = (await list('?psp=stripe')).body
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await list(`?psp=stripe&limit=50&cursor=${nextCursor}`)).status).toBe(200)
    for (const answer of [
      await list(`?cursor=${nextCursor}`),
      await list(`?psp=paypal&cursor=${nextCursor}`),
      await list(`?psp=stripe&cursor=${nextCursor}`, { token }),
      await list(`?psp=stripe&cursor=${nextCursor.slice(0, -8)}AAAAAAAA`),
      await list('?cursor=v1.test.AAAA.AAAA'),
      await list('?cursor='),
    ])
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
  })

  it('shows nothing of another merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Empty' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await list('?limit=100', { token })).body).toMatchObject({ hasMore: false, data: [] })
  })
})

describe('filters of GET /chargebacks', () => {
  it('startDate and endDate include both ends and leave out what has no posting date', async () => {
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

  it('all twelve at once, and parameters that nobody knows are ignored', async () => {
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
      unknown: 'x',
    })
    const { body } = await list(`?${all}`)
    expect(body.data.map((one: { chargebackId: string }) => one.chargebackId)).toEqual(['du_6'])
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
    const answer = await list(`?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(answer.body.message).toMatch(new RegExp(`^${field}: `))
  })

  it('name every bad field in one answer', async () => {
    const { body } = await list('?limit=1&page=0&psp=x&minEnrichmentScore=0.9&maxEnrichmentScore=0.1')
    for (const field of ['limit', 'page', 'psp', 'minEnrichmentScore']) expect(body.message).toContain(`${field}: `)
  })
})

describe('GET /chargebacks/{id}', () => {
  const read = (id: string, options = {}) => stage.call('GET', `/v1/chargebacks/${id}`, options)

  it('agrees with the list in every field', async () => {
    const { body } = await list('?limit=100')
    for (const item of body.data) expect((await read(item.id)).body.data).toEqual(item)
  })

  it('and with what is stored, whatever characters and amounts it holds', async () => {
    const full = {
      amount_minor: 123456789012n,
      amount_exponent: 3,
      currency: 'KWD',
      transaction_created_date: new Date('2025-12-31T23:59:59.999Z'),
      psp_status_change_date: new Date('2026-01-02T03:04:05.006Z'),
      transaction_id: 'ch_"quoted\\back\u2028slash"',
      arn: '74537604221222132710572',
      external_transaction_identifier: 'line\nbreak\ttab',
      merchant_reference_name: 'acct_é漢字😀',
      reason_code: '10.4',
      reason: '<script>alert("x")</script>\u0001',
      card_scheme: 'visa',
      payment_method: 'card',
      bin: '424242',
      card_last_four_digits: '4242',
      billing_country: 'DE',
      enrichment_ratio: '0.1234',
      is_enriched: true,
      win_probability: '61.5',
      roi_recommendation: 'Fight',
      posting_date: new Date('2027-01-01T00:00:00Z'),
    }
    const id = await addChargeback(stage.db, at, full)
    const item = (await list()).body.data.find((one: { id: string }) => one.id === id)
    expect(item).toEqual((await read(id)).body.data)
    expect(item).toMatchObject({
      amount: 123456789.012,
      currency: 'KWD',
      referenceAccountId: stage.referenceId,
      integrationId: at.integrationId,
      transactionCreatedDate: '2025-12-31T23:59:59.999Z',
      pspStatusChangeDate: '2026-01-02T03:04:05.006Z',
      transactionId: full.transaction_id,
      externalTransactionIdentifier: full.external_transaction_identifier,
      merchantReferenceName: full.merchant_reference_name,
      reason: full.reason,
      enrichmentRatio: 0.1234,
      winProbability: 61.5,
      roiRecommendation: 'Fight',
      isEnriched: true,
      cardLastFourDigits: '4242',
    })
    expect(Object.keys(item)).toHaveLength(29)
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
  })

  it.each([
    [0n, 2, 0],
    [500n, 2, 5],
    [1099n, 2, 10.99],
    [-250n, 2, -2.5],
    [1001n, 0, 1001],
    [1n, 4, 0.0001],
    [900719925474099n, 2, 9007199254740.99],
  ])('prints %d at %d digits as %d, list and single read alike', async (amount_minor, amount_exponent, amount) => {
    const id = await addChargeback(stage.db, at, { amount_minor, amount_exponent, posting_date: day(400) })
    const { text, body } = await list()
    expect(body.data[0]).toMatchObject({ id, amount })
    expect(text).toContain(`"amount":${amount},`)
    expect((await read(id)).body.data.amount).toBe(amount)
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
  })

  it('leaves out what is not known', async () => {
    const id = await addChargeback(stage.db, at, { posting_date: null, due_date: null })
    const { data } = (await read(id)).body
    for (const field of ['postingDate', 'dueDate', 'arn', 'winProbability', 'cardScheme'])
      expect(data).not.toHaveProperty(field)
    expect(JSON.stringify(data)).not.toContain('null')
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
  })

  it.each(['x', randomUUID(), '%00', '%E0%A4%A', "'"])('answers 404 for %s', async (id) => {
    expect(await read(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })

  it('answers for a foreign chargeback exactly as for none', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Stranger' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    const [foreign, missing] = [await read(ids[0] ?? '', { token }), await read(randomUUID(), { token })]
    expect({ ...foreign.body, errorId: '' }).toEqual({ ...missing.body, errorId: '' })
    expect(foreign.status).toBe(404)
  })
})
