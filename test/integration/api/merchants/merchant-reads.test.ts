import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../../db/core/connect.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { listMerchants } from '../../../../db/merchants/merchant-list.ts'
import type { MerchantStatus } from '../../../../domain/accounts/merchant-status.ts'
import { addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let token: string
let accountId: string
beforeAll(async () => {
  stage = await createStage()
  accountId = (await createAccount(stage.db, { name: 'Reader' })).accountId
  token = (await stage.issue({ accountId, scope: 'account' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const get = (path: string, options = {}) => stage.call('GET', `/v1/merchants${path}`, { token, ...options })
const day = 24 * 3600 * 1000
const past = new Date(Date.now() - day)
const future = new Date(Date.now() + day)

describe('GET /merchants/{merchantUuid}', () => {
  it('returns the merchant and nothing else, with the UUID in any case', async () => {
    const { merchantUuid, referenceId } = await stage.newMerchant(accountId, `ref-${randomUUID()}`)
    const expected = { merchantName: 'Shop', referenceId, status: 'SetupIncomplete', merchantUuid }
    for (const path of [merchantUuid, merchantUuid.toUpperCase()])
      expect(await get(`/${path}`)).toMatchObject({ status: 200, body: expected })
    expect(Object.keys((await get(`/${merchantUuid}`)).body).sort()).toEqual(Object.keys(expected).sort())
  })

  it('returns the same 404 with message and statusCode for a missing merchant and another account’s', async () => {
    for (const merchantUuid of [randomUUID(), stage.merchantUuid]) {
      const { status, body } = await get(`/${merchantUuid}`)
      expect(status).toBe(404)
      expect(body).toEqual({
        message: 'There is no merchant with this id.',
        statusCode: 404,
        status: 404,
        error: 'Not Found',
        code: 'merchant_not_found',
        errorId: expect.any(String),
      })
    }
  })

  it('returns 400 for an id that is not a UUID', async () => {
    for (const invalid of ['x', 'shop-1', `${randomUUID()}0`, '%00', "'%20or%201=1"])
      expect(await get(`/${invalid}`), invalid).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', message: 'merchantUuid: Must be a UUID' },
      })
  })

  it('responds to HEAD as to GET', async () => {
    const { merchantUuid } = await stage.newMerchant(accountId)
    const headers = { authorization: `Bearer ${token}` }
    const response = await stage.app.request(`/v1/merchants/${merchantUuid}`, { method: 'HEAD', headers })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each(['PUT', 'PATCH', 'POST', 'DELETE'])('does not support %s', async (method) => {
    const response = await stage.call(method, `/v1/merchants/${randomUUID()}`, { token })
    expect(response).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })
})

const live = { status: 'SUCCESSFUL' }
const scheduled = { status: 'SUCCESSFUL', go_live_date: future }
const awaiting = { status: 'SUCCESSFUL', go_live_waits: true }
const failed = { status: 'FAILED' }
const pending = { status: 'PENDING' }
const inactive = { status: 'INACTIVE' }
const reached = { deactivation_type: 'postingDate', deactivation_date: past }
/** The table of statuses: the expected status, and the integrations and dates that lead to it. */
const TABLE: [expected: MerchantStatus, when: string, integrations: object[], merchant?: object][] = [
  ['Inactive', 'its deactivation date is reached', [live], reached],
  ['Inactive', 'it is deactivated before its activation', [live], { ...reached, activation_date: future }],
  ['Active', 'its deactivation date is in the future', [live], { ...reached, deactivation_date: future }],
  ['SetupIncomplete', 'it has no integration', []],
  ['SetupIncomplete', 'it has INACTIVE integrations only', [inactive, inactive]],
  ['IntegrationError', 'its only integration is FAILED', [failed, inactive]],
  ['AllIntegrationDown', 'several integrations are all FAILED', [failed, failed]],
  ['AllIntegrationValidate', 'all integrations are PENDING', [pending, pending, inactive]],
  ['PartiallyActiveByError', 'one integration is live, one FAILED', [live, failed, pending]],
  ['PartiallyActiveByValidation', 'one integration is live, one PENDING', [live, pending]],
  ['Active', 'one integration is live', [live, scheduled, awaiting]],
  ['Active', 'one integration is live since its go-live date', [{ ...live, go_live_date: past }]],
  ['ReadyScheduledGoLiveDate', 'no integration is live, one has a future go-live date', [scheduled, awaiting, failed]],
  ['ReadyAwaitingGoLiveDate', 'one integration is verified and waits for the operator', [awaiting, pending]],
  ['SetupIncomplete', 'some integrations are FAILED, the others PENDING', [failed, pending]],
  ['ScheduledForActivation', 'it would be Active, but is not activated yet', [live], { activation_date: future }],
  ['ScheduledForActivation', 'it would be ready, but is not activated yet', [scheduled], { activation_date: future }],
  ['ScheduledForActivation', 'it would wait, but is not activated yet', [awaiting], { activation_date: future }],
  ['IntegrationError', 'it is not activated yet, and not ready', [failed], { activation_date: future }],
  ['Active', 'its activation date has come', [live], { activation_date: past }],
]

describe('the status of a merchant', () => {
  const made = new Map<number, string>()
  let statusAccount: string
  let statusToken: string
  beforeAll(async () => {
    statusAccount = (await createAccount(stage.db, { name: 'Statuses' })).accountId
    await Promise.all(
      TABLE.map(async ([, , integrations, merchant], row) => {
        const { merchantUuid } = await stage.newMerchant(statusAccount)
        if (merchant)
          await stage.db.updateTable('merchant').set(merchant).where('merchant_uuid', '=', merchantUuid).execute()
        for (const values of integrations) {
          const id = await addIntegration(stage.db, stage.ring, merchantUuid)
          await stage.db.updateTable('integration').set(values).where('integration_id', '=', id).execute()
        }
        made.set(row, merchantUuid)
      }),
    )
    statusToken = (await stage.issue({ accountId: statusAccount, scope: 'account' })).token
  })

  it.each(TABLE.map(([expected, when], row) => ({ expected, when, row })))(
    'is $expected when $when',
    async ({ expected, row }) => {
      const { body } = await stage.call('GET', `/v1/merchants/${made.get(row)}`, { token: statusToken })
      expect(body.status).toBe(expected)
    },
  )

  it('is the same in the list, which needs one statement for any number of merchants', async () => {
    const { body } = await stage.call('GET', '/v1/merchants?limit=100', { token: statusToken })
    const listed = new Map(body.data.map((one: Record<string, string>) => [one.merchantUuid, one.status]))
    for (const [row, merchantUuid] of made) expect(listed.get(merchantUuid)).toBe(TABLE[row]?.[0])
    const statements: string[] = []
    const db = connect(stage.database.url, { scope: 'system', max: 1 })
    db.pool.on('acquire', () => void statements.push('one'))
    const page = { accountId: statusAccount, now: new Date(), limit: 100, page: 1 }
    expect((await listMerchants(db, page)).merchants).toHaveLength(TABLE.length)
    expect(statements).toHaveLength(1)
    await db.destroy()
  })

  it('changes on a date without a write', async () => {
    const { merchantUuid } = await stage.newMerchant(accountId)
    const id = await addIntegration(stage.db, stage.ring, merchantUuid)
    const at = (days: number) => new Date(Date.now() + days * day)
    await stage.db
      .updateTable('integration')
      .set({ go_live_date: at(2) })
      .where('integration_id', '=', id)
      .execute()
    const dates = { activation_date: at(1), deactivation_type: 'dueDate', deactivation_date: at(3) }
    await stage.db.updateTable('merchant').set(dates).where('merchant_uuid', '=', merchantUuid).execute()
    const seen = []
    for (const days of [0, 1.5, 2.5, 3.5]) {
      const app = stage.secondApp({ now: () => at(days) })
      seen.push((await stage.call('GET', `/v1/merchants/${merchantUuid}`, { token }, app)).body.status)
    }
    expect(seen).toEqual(['ScheduledForActivation', 'ReadyScheduledGoLiveDate', 'Active', 'Inactive'])
  })
})

describe('GET /merchants', () => {
  const made: string[] = []
  let own: string
  const list = (query = '') => stage.call('GET', `/v1/merchants${query}`, { token: own })
  const uuids = (response: { body: { data: { merchantUuid: string }[] } }) =>
    response.body.data.map((one) => one.merchantUuid)
  beforeAll(async () => {
    const account = (await createAccount(stage.db, { name: 'Lister' })).accountId
    own = (await stage.issue({ accountId: account, scope: 'account' })).token
    for (let n = 0; n < 12; n++) {
      const { merchantUuid } = await stage.newMerchant(account)
      const created_at = new Date(Date.UTC(2026, 0, 1 + n))
      await stage.db.updateTable('merchant').set({ created_at }).where('merchant_uuid', '=', merchantUuid).execute()
      made.unshift(merchantUuid)
    }
  })

  it('returns newest first, ten per page, with hasMore until the last page', async () => {
    const [first, second, third] = [await list(), await list('?page=2'), await list('?page=3')]
    expect(first.body).toMatchObject({ status: 200, message: expect.any(String), hasMore: true })
    expect(uuids(first)).toEqual(made.slice(0, 10))
    expect([uuids(second), second.body.hasMore]).toEqual([made.slice(10), false])
    expect([uuids(third), third.body.hasMore]).toEqual([[], false])
    expect((await list('?limit=12')).body.hasMore).toBe(false)
    expect((await list('?limit=11')).body.hasMore).toBe(true)
  })

  it('shows the four fields of a merchant', async () => {
    const [one] = (await list()).body.data
    expect(Object.keys(one).sort()).toEqual(['merchantName', 'merchantUuid', 'referenceId', 'status'])
  })

  it('filters by UUID, and shows none of another account', async () => {
    expect(uuids(await list(`?merchantUuid=${made[3]}`))).toEqual([made[3]])
    expect(uuids(await list(`?merchantUuid=${stage.merchantUuid}`))).toEqual([])
    expect(uuids(await list(`?merchantUuid=${randomUUID()}`))).toEqual([])
  })

  it('filters by the time of creation, both ends included', async () => {
    const query = '?startDate=2026-01-03T00:00:00Z&endDate=2026-01-05T00:00:00Z'
    expect(uuids(await list(query))).toEqual(made.slice(7, 10))
    expect(uuids(await list('?startDate=2026-01-12T00:00:00.001Z'))).toEqual([])
  })

  it.each([
    ['limit', '9'],
    ['limit', '101'],
    ['limit', '1e1'],
    ['limit', ''],
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.5'],
    ['merchantUuid', 'x'],
    ['startDate', '2026-01-01'],
    ['endDate', 'now'],
  ])('names %s=%s', async (name, value) => {
    const { status, body } = await list(`?${name}=${value}`)
    expect(status).toBe(400)
    expect(body.message).toContain(`${name}: `)
  })

  it('refuses a range that ends before it starts, and an unknown parameter', async () => {
    const { status, body } = await list('?startDate=2026-01-02T00:00:00Z&endDate=2026-01-01T00:00:00Z')
    expect([status, body.message]).toEqual([400, 'startDate: Must not be above endDate'])
    const unknown = await list('?colour=red&startdate=2026-01-01T00:00:00Z&limit=9')
    expect([unknown.status, unknown.body.message]).toEqual([
      400,
      'colour: Unknown parameter. There are limit, page, merchantUuid, startDate, endDate; ' +
        'startdate: Unknown parameter. Did you mean startDate?; limit: Must be an integer from 10 to 100',
    ])
  })

  it('returns an empty page for an account without merchants', async () => {
    const { accountId: empty } = await createAccount(stage.db, { name: 'Empty' })
    const other = await stage.issue({ accountId: empty, scope: 'account' })
    const { body } = await stage.call('GET', '/v1/merchants', { token: other.token })
    expect(body).toMatchObject({ hasMore: false, data: [] })
  })
})
