import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../stage.ts'
import { addChargeback, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
beforeAll(async () => {
  const made = await stageWithIntegration()
  stage = made.stage
  for (let n = 0; n < 12; n++)
    await addChargeback(stage.db, made.at, { chargeback_id: `du_${n}`, card_last_four_digits: '4242' })
})
afterAll(() => stage[Symbol.asyncDispose]())

const get = (path: string, query: string) => stage.call('GET', `/v1/${path}?${query}`)
const [EARLY, LATE] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
const thousand = (word: (n: number) => string) => Array.from({ length: 1_000 }, (_, n) => word(n)).join(',')
const code = (n: number) => `A${String.fromCharCode(65 + (n % 26), 65 + (Math.floor(n / 26) % 26))}`

/** Query, the field that the error names, and words of the rule. */
const REFUSED: [string, string, string][] = [
  // Filters that contradict each other.
  [`startDate=${LATE}&endDate=${EARLY}`, 'startDate', 'Must not be above endDate'],
  [`dueAfter=${LATE}&dueBefore=${EARLY}`, 'dueAfter', 'Must not be above dueBefore'],
  ['currency=EUR&minAmount=2&maxAmount=1', 'minAmount', 'Must not be above maxAmount'],
  ['minEnrichmentScore=0.9&maxEnrichmentScore=0.1', 'minEnrichmentScore', 'Must not be above maxEnrichmentScore'],
  [
    `pspStatusChangeStartDate=${LATE}&pspStatusChangeEndDate=${EARLY}`,
    'pspStatusChangeStartDate',
    'Must not be above pspStatusChangeEndDate',
  ],
  // Amounts without their currency.
  ['minAmount=1', 'minAmount', 'name it, for example currency=EUR'],
  ['maxAmount=1', 'maxAmount', 'name it, for example currency=EUR'],
  ['maxAmount=1&currency=EUR,USD', 'maxAmount', 'within one currency'],
  ['sort=amount', 'sort', 'within one currency'],
  ['sort=-amount&currency=EUR&currency=USD', 'sort', 'within one currency'],
  // A thousand values.
  [`currency=${thousand(code)}`, 'currency', 'at most 100 values'],
  ...['psp', 'pspStatus', 'status', 'lifecycleStage', 'reasonGroup'].map((field): [string, string, string] => [
    `${field}=${thousand((n) => `word${n}`)}`,
    field,
    'at most 100 values',
  ]),
  // Values that are none.
  ['dueAfter=tomorrow', 'dueAfter', 'ISO 8601'],
  ['dueBefore=2026-13-01T00:00:00Z', 'dueBefore', 'ISO 8601'],
  ['sort=due', 'sort', 'expected one of'],
  ['currency=eur', 'currency', 'ISO 4217'],
  ['currency=EUR,', 'currency', 'ISO 4217'],
  ['currency=EUR&minAmount=-1', 'minAmount', 'units of the currency'],
  ['currency=EUR&maxAmount=1e3', 'maxAmount', 'units of the currency'],
  ['psp=stripe,Paypal', 'psp', 'Must be among'],
  ['pspStatus=open', 'pspStatus', 'Must be among'],
  ['status=open', 'status', 'Must be among'],
  ['lifecycleStage=first', 'lifecycleStage', 'Must be among'],
  ['reasonGroup=theft', 'reasonGroup', 'Must be among'],
  ['inScope=yes', 'inScope', 'true or false'],
  ['recommendation=fight', 'recommendation', 'Fight'],
  ['search=', 'search', '1'],
  [`search=${'a'.repeat(256)}`, 'search', '255'],
]

describe.each(['chargebacks', 'chargebacks/export'])('GET /%s refuses by name', (path) => {
  it.each(REFUSED.map(([query, ...rest]) => [query.slice(0, 90), query, ...rest]))(
    '%s',
    async (_, query, field, words) => {
      const { status, body } = await get(path, query)
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
      const own = (body.message as string).split(/; (?=\w+: )/).filter((one) => one.startsWith(`${field}: `))
      expect(own.join()).toContain(words)
    },
  )

  it('all at once', async () => {
    const { body } = await get(path, 'minAmount=3&maxAmount=2&sort=amount&psp=x&dueAfter=x')
    for (const field of ['minAmount', 'maxAmount', 'sort', 'psp', 'dueAfter'])
      expect(body.message).toContain(`${field}: `)
  })

  it('a parameter that it does not have', async () => {
    const { status, body } = await get(path, 'dueAftr=2026-01-01T00:00:00Z')
    expect([status, body.message]).toEqual([400, expect.stringContaining('dueAftr')])
  })
})

it('GET /chargebacks refuses an expansion that it does not have', async () => {
  const { status, body } = await get('chargebacks', 'expand=dueIn,everything')
  expect([status, body.message]).toEqual([400, expect.stringMatching(/^expand: .*scopeReason, dueIn/)])
})

it('a thousand times the same value is that value', async () => {
  const ids = async (query: string) =>
    (await get('chargebacks', query)).body.data.map((one: { chargebackId: string }) => one.chargebackId)
  expect(await ids(`limit=100&psp=${thousand(() => 'stripe')}`)).toEqual(await ids('limit=100&psp=stripe'))
})

describe('a cursor of other filters is refused by name', () => {
  const cursorOf = async (query: string) => (await get('chargebacks', `limit=10${query}`)).body.nextCursor as string

  it.each([
    ['', '&psp=stripe'],
    ['&psp=stripe', ''],
    ['&psp=stripe', '&psp=stripe,paypal'],
    ['&search=4242', ''],
    [`&dueAfter=${EARLY}`, `&dueAfter=${LATE}`],
    ['&currency=USD&minAmount=1', '&currency=USD&minAmount=1.01'],
    ['&inScope=true', '&inScope=false'],
    ['&sort=dueDate', '&sort=-dueDate'],
    ['&sort=dueDate', ''],
  ])('of "%s" for "%s"', async (own, other) => {
    const cursor = await cursorOf(own)
    expect(cursor).toEqual(expect.any(String))
    const { status, body } = await get('chargebacks', `limit=10${other}&cursor=${cursor}`)
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    expect(body.message).toMatch(/^cursor: not a nextCursor of this merchant, these filters and this sort/)
  })

  it('of another merchant', async () => {
    const cursor = await cursorOf('')
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'other-shop')
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
    const { status, body } = await stage.call('GET', `/v1/chargebacks?cursor=${cursor}`, { token })
    expect([status, body.code]).toEqual([400, 'invalid_cursor'])
  })

  it.each(['cursor=x', 'cursor=AAAA'])('%s is none', async (query) => {
    expect((await get('chargebacks', query)).body).toMatchObject({ status: 400, code: 'invalid_cursor' })
  })
})

describe('GET /analytics refuses by name', () => {
  it.each([
    ['summary', 'startMonth=2026-02&endMonth=2026-01', 'startMonth', 'Must not be above endMonth'],
    ['summary', 'startMonth=2026-13', 'startMonth', 'Must be a month'],
    ['summary', `currency=${thousand(code)}`, 'currency', 'at most 100 values'],
    ['summary', 'psp=Paypal', 'psp', 'Must be among'],
    ['summary', 'by=psp,currency,status', 'by', 'at most 2 values'],
    ['summary', 'by=customer', 'by', 'Must be among psp'],
    ['summary', `startDate=${EARLY}`, 'startDate', 'Unknown parameter'],
    ['ratio', 'startMonth=2026-02&endMonth=2026-01', 'startMonth', 'Must not be above endMonth'],
    ['ratio', 'startMonth=2022-12&endMonth=2025-12', 'startMonth', '36 months'],
  ])('%s?%.60s', async (operation, query, field, words) => {
    const { status, body } = await get(`analytics/${operation}`, query)
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(body.message).toMatch(new RegExp(`^${field}: `))
    expect(body.message).toContain(words)
  })
})
