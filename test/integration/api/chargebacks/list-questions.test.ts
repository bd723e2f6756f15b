import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../stage.ts'
import { addChargeback, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
const made: { id: string; row: Row }[] = []

const DAY = 24 * 3_600_000
const due = (n: number) => new Date(Date.UTC(2030, 0, 1 + n, 12))
const PSPS = ['stripe', 'paypal', 'adyen'] as const
const STAGES = ['chargeback', 'inquiry', 'claim'] as const
const GROUPS = ['fraud', 'general', 'compliance'] as const
const CURRENCIES = ['EUR', 'USD', 'JPY', 'EUR'] as const
const RULE = { by: 'scope_rule', inScope: false, version: 2, dimension: 'reasonCodes', value: '10.4' } as const

const rowOf = (n: number) => {
  const currency = CURRENCIES[n % 4] ?? 'EUR'
  return {
    ...{ chargeback_id: `du_${n}`, psp: PSPS[n % 3] ?? 'stripe', lifecycle_stage: STAGES[n % 3] ?? 'claim', currency },
    reason_group: GROUPS[n % 3] ?? 'fraud',
    // Yen have no minor unit; one integration reports euros in tenths of a cent.
    amount_exponent: currency === 'JPY' ? 0 : n === 3 ? 3 : 2,
    amount_minor: BigInt(currency === 'JPY' ? 10 * n : n === 3 ? 90_005 : 1_000 * (n % 7) + (n % 2)),
    posting_date: n % 9 === 8 ? null : new Date(Date.UTC(2026, 0, 1 + ((n * 7) % 20))),
    due_date: n % 10 === 9 ? null : due((n * 3) % 15),
    status: n % 2 === 0 ? 'waiting_for_data' : n % 4 === 1 ? 'building_evidence' : 'not_represented',
    roi_recommendation: n % 5 === 0 ? 'Accept' : n % 5 === 1 ? null : 'Fight',
    scope_decision: n % 6 === 0 ? JSON.stringify(RULE) : n % 6 === 1 ? '{"by":"should_fight","inScope":true}' : null,
    ...{ arn: `arn-${n}`, transaction_id: `ch_${n}`, card_last_four_digits: n < 5 ? '4242' : '0005' },
  }
}
type Row = ReturnType<typeof rowOf>

beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  for (let n = 0; n < 30; n++) made.push({ row: rowOf(n), id: await addChargeback(stage.db, at, rowOf(n)) })
})
afterAll(() => stage[Symbol.asyncDispose]())

const list = (query: string) => stage.call('GET', `/v1/chargebacks?${query}`)
const found = async (query: string) => {
  const { status, body, text } = await list(`limit=100&${query}`)
  expect(status, text).toBe(200)
  return body.data.map((one: { chargebackId: string }) => one.chargebackId)
}
const where = (test: (row: Row, n: number) => boolean) =>
  made.flatMap(({ row }, n) => (test(row, n) ? [row.chargeback_id] : [])).sort()
const units = ({ amount_minor, amount_exponent }: Row) => Number(amount_minor) / 10 ** amount_exponent

describe('filters of GET /chargebacks that answer an analyst', () => {
  const questions: [string, (row: Row, n: number) => boolean][] = [
    [`dueAfter=${due(5).toISOString()}`, ({ due_date }) => due_date !== null && due_date >= due(5)],
    [`dueBefore=${due(3).toISOString()}`, ({ due_date }) => due_date !== null && due_date <= due(3)],
    [
      `dueAfter=${due(3).toISOString()}&dueBefore=${due(6).toISOString()}&sort=dueDate`,
      ({ due_date }) => due_date !== null && due_date >= due(3) && due_date <= due(6),
    ],
    ['psp=stripe,adyen', ({ psp }) => psp !== 'paypal'],
    ['psp=stripe&psp=adyen', ({ psp }) => psp !== 'paypal'],
    ['status=waiting_for_data,building_evidence', ({ status }) => status !== 'not_represented'],
    ['lifecycleStage=inquiry,claim', ({ lifecycle_stage }) => lifecycle_stage !== 'chargeback'],
    ['lifecycleStage=chargeback', ({ lifecycle_stage }) => lifecycle_stage === 'chargeback'],
    ['lifecycleStage=chargeback,claim', ({ lifecycle_stage }) => lifecycle_stage !== 'inquiry'],
    ['reasonGroup=fraud,compliance', ({ reason_group }) => reason_group !== 'general'],
    ['currency=EUR,JPY', ({ currency }) => currency !== 'USD'],
    ['pspStatus=needs_response,won', () => true],
    ['currency=EUR&minAmount=30', (row) => row.currency === 'EUR' && units(row) >= 30],
    ['currency=EUR&minAmount=30.01&sort=amount', (row) => row.currency === 'EUR' && units(row) >= 30.01],
    ['currency=EUR&maxAmount=50', (row) => row.currency === 'EUR' && units(row) <= 50],
    ['currency=EUR&minAmount=90.005&maxAmount=90.005', (row) => row.currency === 'EUR' && units(row) === 90.005],
    ['currency=EUR&minAmount=90.0051', () => false],
    [
      'currency=JPY&minAmount=20.5&maxAmount=100',
      (row) => row.currency === 'JPY' && units(row) > 20 && units(row) <= 100,
    ],
    ['inScope=false', (_, n) => n % 6 === 0],
    ['inScope=true', (_, n) => n % 6 !== 0],
    ['recommendation=Accept', (row) => row.roi_recommendation === 'Accept'],
    ['search=4242', (_, n) => n < 5],
    ['search=arn-7', (_, n) => n === 7],
    ['search=ch_8', (_, n) => n === 8],
    ['search=du_9', (_, n) => n === 9],
    ['search=du_', () => false],
    ['search=4242&psp=stripe&status=waiting_for_data', (_, n) => n === 0],
    [`dueAfter=${due(0).toISOString()}&psp=paypal&page=1`, (row) => row.psp === 'paypal' && row.due_date !== null],
  ]
  it.each(questions)('%s', async (query, test) => {
    expect((await found(query)).sort()).toEqual(where(test))
  })

  it('search finds a chargeback by the id that Recoup gave it, in either case', async () => {
    const { id } = made[4] as (typeof made)[number]
    expect(await found(`search=${id}`)).toEqual(['du_4'])
    expect(await found(`search=${id.toUpperCase()}`)).toEqual(['du_4'])
  })
})

describe('sort of GET /chargebacks', () => {
  const posted = ({ posting_date }: Row) => posting_date?.getTime() ?? Number.NEGATIVE_INFINITY
  const isDue = ({ due_date }: Row) => due_date?.getTime() ?? Number.POSITIVE_INFINITY
  const sorts: [string, string, (row: Row) => number, (row: Row) => boolean][] = [
    ['postingDate', '', posted, () => true],
    ['dueDate', '', isDue, () => true],
    ['dueDate', 'status=waiting_for_data,building_evidence', isDue, ({ status }) => status !== 'not_represented'],
    ['amount', 'currency=EUR', units, ({ currency }) => currency === 'EUR'],
    ['amount', 'currency=EUR&minAmount=1', units, (row) => row.currency === 'EUR' && units(row) >= 1],
  ]
  describe.each(sorts)('%s %s', (name, filter, value, test) => {
    const sorted = (direction: 1 | -1) =>
      made
        .filter(({ row }) => test(row))
        // Infinity minus Infinity is no number.
        .sort((a, b) => {
          const [x, y] = [value(a.row), value(b.row)]
          return direction * (x === y ? (a.id < b.id ? -1 : 1) : x < y ? -1 : 1)
        })
        .map(({ row }) => row.chargeback_id)

    it.each([
      [name, 1],
      [`-${name}`, -1],
    ] as [string, 1 | -1][])('%s: whole, by pages and by cursors', async (sort, direction) => {
      const expected = sorted(direction)
      expect(await found(`${filter}&sort=${sort}`)).toEqual(expected)
      const pages: string[] = []
      const cursors: string[] = []
      for (let page = 1, cursor = '', more = true; more; page++) {
        const query = `${filter}&limit=10&sort=${sort}`
        const [byPage, byCursor] = [await list(`${query}&page=${page}`), await list(`${query}${cursor}`)]
        for (const [response, seen] of [
          [byPage, pages],
          [byCursor, cursors],
        ] as const)
          seen.push(...response.body.data.map((one: { chargebackId: string }) => one.chargebackId))
        more = byCursor.body.hasMore
        expect(byPage.body.hasMore).toBe(more)
        cursor = `&cursor=${byCursor.body.nextCursor}`
      }
      expect(pages).toEqual(expected)
      expect(cursors).toEqual(expected)
    })
  })

  it('-postingDate is the default, but a cursor belongs to the sort that the client named', async () => {
    expect(await found('')).toEqual(await found('sort=-postingDate'))
    const { nextCursor } = (await list('limit=10&sort=dueDate')).body
    expect((await list(`limit=20&sort=dueDate&expand=dueIn&cursor=${nextCursor}`)).status).toBe(200)
    for (const other of ['sort=-dueDate', 'sort=postingDate', '', 'sort=dueDate&psp=stripe']) {
      const { status, body } = await list(`${other}&cursor=${nextCursor}`)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
      expect(body.message).toMatch(/this sort. Start again without it$/)
    }
  })

  it('a cursor belongs to values, not to their order or how they are written', async () => {
    const { nextCursor } = (await list('limit=10&psp=stripe,adyen')).body
    expect((await list(`limit=10&psp=adyen&psp=stripe&cursor=${nextCursor}`)).status).toBe(200)
  })
})

describe('expand of GET /chargebacks', () => {
  it('adds nothing unless asked', async () => {
    const { body } = await list('limit=10')
    expect(body.data[0]).not.toHaveProperty('scopeReason')
    expect(body.data[0]).not.toHaveProperty('dueIn')
  })

  it('scopeReason says what decided', async () => {
    const { body } = await list('limit=100&expand=scopeReason')
    const of = (n: number) =>
      body.data.find((one: { chargebackId: string }) => one.chargebackId === `du_${n}`).scopeReason
    expect(of(0)).toEqual(RULE)
    expect(of(1)).toEqual({ by: 'should_fight', inScope: true })
    expect(of(2)).toEqual({ by: 'contract', inScope: true })
  })

  it('dueIn counts seconds, negative after the due date, and is absent without one', async () => {
    const past = { chargeback_id: 'late', due_date: new Date(Date.now() - 2 * DAY) }
    await addChargeback(stage.db, at, past)
    const { body } = await list('limit=100&expand=dueIn,scopeReason')
    const of = (id: string) => body.data.find((one: { chargebackId: string }) => one.chargebackId === id)
    expect(of('late').dueIn).toBeGreaterThan(-2 * 86_400 - 600)
    expect(of('late').dueIn).toBeLessThanOrEqual(-2 * 86_400)
    expect(Math.abs(of('du_0').dueIn * 1_000 - (due(0).getTime() - Date.now()))).toBeLessThan(600_000)
    expect(of('du_9')).not.toHaveProperty('dueIn')
    await stage.db.deleteFrom('chargeback').where('chargeback_id', '=', 'late').execute()
  })
})
