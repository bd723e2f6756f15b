import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../../cli/run.ts'
import { openClientData } from '../../../../db/chargebacks/chargeback-data.ts'
import { changeDataPoints } from '../../../../db/chargebacks/client-data.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const patch = (id: string, body: unknown, options = {}) =>
  stage.call('PATCH', `/v1/chargebacks/${id}`, { body, ...options })
const read = async (id: string) => (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data
const stored = async (id: string) => {
  const row = await stage.db.selectFrom('client_data').selectAll().where('chargeback_id', '=', id).executeTakeFirst()
  return row && openClientData(stage.ring, id, row.sealed)
}
async function addCommand(id: string, kind: string, status: string) {
  await stage.db
    .insertInto('command')
    .values({
      command_id: randomUUID(),
      kind,
      merchant_uuid: stage.merchantUuid,
      chargeback_id: id,
      source: 'stripe',
      psp_account: 'acct_1',
      reference: id,
      round: 1,
      status,
      deadline: new Date(),
    })
    .execute()
}

describe('PATCH /chargebacks/{id}', () => {
  it('merges data points: given ones overwrite, others stay', async () => {
    const id = await addChargeback(stage.db, at)
    const response = await patch(id, { transactionOrderEmail: 'one@example.com', parcel: { weight: 1.5 } })
    expect(response).toMatchObject({ status: 201, body: { status: 201, message: 'Data points stored', id } })
    await patch(id, { transactionOrderEmail: 'Two@Example.com', signed: true })
    expect(await stored(id)).toEqual({
      transactionOrderEmail: 'Two@Example.com',
      parcel: { weight: 1.5 },
      signed: true,
    })
  })

  it('seals values, and a person in them can be found', async () => {
    const id = await addChargeback(stage.db, at)
    await patch(id, { transactionOrderEmail: 'planted@example.com', note: 'Call Planted Person' })
    const row = await stage.db.selectFrom('client_data').selectAll().where('chargeback_id', '=', id).executeTakeFirst()
    const events = await stage.db.selectFrom('timeline_event').selectAll().where('chargeback_id', '=', id).execute()
    expect(row?.persons).toHaveLength(1)
    expect(
      JSON.stringify([row, events], (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/planted/i)
    expect(stage.lines.join()).not.toMatch(/planted/i)
  })

  it('raises the enrichment ratio by the data points of the reason group, and decides again', async () => {
    const id = await addChargeback(stage.db, at, { reason_group: 'compliance' })
    await patch(id, { unknownThing: 1 })
    expect(await read(id)).toMatchObject({ enrichmentRatio: 0, status: 'waiting_for_data', isEnriched: false })
    await patch(id, { transactionStatus: 'settled', transactionArn: '7'.repeat(23), transactionOrderEmail: 'a@b.cd' })
    const { enrichmentRatio } = await read(id)
    expect(enrichmentRatio).toBeCloseTo(4 / 6, 3)
    await patch(id, { transactionOrderEmail: '' })
    expect((await read(id)).enrichmentRatio).toBeCloseTo(3 / 6, 3)
    const events = await stage.db
      .selectFrom('timeline_event')
      .select(['source', 'what', 'after'])
      .where('chargeback_id', '=', id)
      .orderBy('timeline_event_id')
      .execute()
    expect(events.filter((event) => event.what === 'data points changed')).toMatchObject([
      { source: 'api', after: { names: ['unknownThing'], added: ['unknownThing'] } },
      { after: { names: ['transactionArn', 'transactionOrderEmail', 'transactionStatus'] } },
      { after: { names: ['transactionOrderEmail'], removed: ['transactionOrderEmail'] } },
    ])
  })

  it('raises the win probability by what the client can prove', async () => {
    const id = await addChargeback(stage.db, at)
    await patch(id, { anything: 1 })
    const { winProbability } = await read(id)
    await patch(id, { liabilityShift: true, signedDelivery: 'https://example.com/pod' })
    expect((await read(id)).winProbability).toBeGreaterThan(winProbability + 20)
    await patch(id, { liabilityShift: false, signedDelivery: '' })
    expect((await read(id)).winProbability).toBe(winProbability)
  })

  it.each([
    ['an evidence submission is requested', 'evidence_submission', 'created', 'evidence_submission_exists'],
    ['one succeeded', 'evidence_submission', 'succeeded', 'evidence_submission_exists'],
    ['it was accepted', 'acceptance', 'succeeded', 'outcome_final'],
  ])('refuses once %s', async (_, kind, status, code) => {
    const id = await addChargeback(stage.db, at)
    await addCommand(id, kind, status)
    expect(await patch(id, { a: 1 })).toMatchObject({ status: 400, body: { code } })
    expect(await stored(id)).toBeUndefined()
  })

  it('accepts more after a failed submission, and while the PSP reviews another party’s response', async () => {
    const id = await addChargeback(stage.db, at, { psp_status: 'under_review', status: 'pending_psp_results' })
    await addCommand(id, 'evidence_submission', 'failed')
    expect((await patch(id, { a: 1 })).status).toBe(201)
  })

  it.each(['won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp'])(
    'refuses when the PSP status is %s',
    async (psp_status) => {
      const id = await addChargeback(stage.db, at, { psp_status, status: 'pending_psp_results' })
      expect(await patch(id, { a: 1 })).toMatchObject({ status: 400, body: { code: 'outcome_final' } })
    },
  )

  it.each([
    [{}, 'body: Must hold at least one data point'],
    [[], 'body: Must be an object of data points'],
    ['null', 'body: Must be an object of data points'],
    [{ status: 'won', amount: 1 }, 'status: Belongs to the service and cannot be set; amount: Belongs'],
    [{ 'a b': 1 }, 'a b: The name must be'],
    [{ a: null, b: { c: [null] } }, 'a: Must not be null; leave it out instead; b: Must not be null'],
    ['{"a":1,"__proto__":{"b":1}}', '__proto__: The name must be'],
    ['{"a":1e999}', 'a: Must be a finite number'],
    [{ a: [[[[[[1]]]]]] }, 'a: Must not be nested deeper than 5 levels'],
  ])('refuses %j', async (body, message) => {
    const id = await addChargeback(stage.db, at)
    const response = await patch(id, body)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(message)
    expect(await stored(id)).toBeUndefined()
  })

  it('limits their number and size', async () => {
    const id = await addChargeback(stage.db, at)
    const many = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, n]))
    expect((await patch(id, many('a', 500))).status).toBe(201)
    expect(await patch(id, { one: 1 })).toMatchObject({ status: 400, body: { code: 'too_many_data_points' } })
    expect((await patch(id, many('a', 10))).status).toBe(201)
    const big = { text: 'x'.repeat(1_000_000) }
    const other = await addChargeback(stage.db, at)
    expect((await patch(other, big)).status).toBe(201)
    expect(await patch(other, { more: 'y'.repeat(100_000) })).toMatchObject({ body: { code: 'too_many_data_points' } })
  })

  it('returns 400 for a malformed id, 404 for a missing one or another merchant’s', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const foreign = await addChargeback(stage.db, { ...other, integrationId })
    expect(await patch('nonsense', { a: 1 })).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await patch(randomUUID(), { a: 1 })).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
    expect(await patch(foreign, { a: 1 })).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
    expect(await stored(foreign)).toBeUndefined()
  })

  it('loses no data point of concurrent requests', async () => {
    const id = await addChargeback(stage.db, at)
    const names = Array.from({ length: 8 }, (_, n) => `point${n}`)
    const responses = await Promise.all(names.map((name) => patch(id, { [name]: 1 })))
    expect(responses.map((response) => response.status)).toEqual(names.map(() => 201))
    expect(Object.keys((await stored(id)) ?? {}).sort()).toEqual(names)
  })
})

describe('an account’s own list of data points', () => {
  const recoup = async (...args: string[]) => {
    let output = ''
    const code = await runCommandLine(args, {
      env: { DATABASE_URL: stage.database.url },
      out: (text) => {
        output += text
      },
      err: (text) => {
        output += text
      },
    })
    return { code, output }
  }
  const list = (...args: string[]) => recoup('account', 'data-points', '--account', stage.accountId, '--json', ...args)

  it('is set, shown and removed by the operator, and excludes other names', async () => {
    expect(JSON.parse((await list('--names', 'orderNumber, signedDelivery')).output)).toMatchObject({
      dataPoints: ['orderNumber', 'signedDelivery'],
    })
    const id = await addChargeback(stage.db, at)
    expect((await patch(id, { orderNumber: 7 })).status).toBe(201)
    const refused = await patch(id, { orderNumber: 8, color: 'red', size: 1 })
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(refused.body.message).toBe(
      "color: Is not one of the account's data points; size: Is not one of the account's data points",
    )
    expect(await stored(id)).toEqual({ orderNumber: 7 })
    // The list restricts clients, not the records of a PSP.
    const brought = { points: { refunds: { re_1: {} } }, source: 'stripe', now: new Date() }
    const to = { merchantUuid: stage.merchantUuid, chargebackId: id, credentialId: stage.credentialId }
    await changeDataPoints(stage.db, stage.ring, { ...to, ...brought })
    expect(Object.keys((await stored(id)) ?? {})).toEqual(['orderNumber', 'refunds'])
    expect(JSON.parse((await list()).output)).toMatchObject({ dataPoints: ['orderNumber', 'signedDelivery'] })
    expect(JSON.parse((await list('--any')).output)).toMatchObject({ dataPoints: 'any' })
    expect((await patch(id, { color: 'red' })).status).toBe(201)
  })

  it('refuses names that no data point can have', async () => {
    expect(await list('--names', 'good,not good')).toMatchObject({
      code: 2,
      output: expect.stringContaining('not good'),
    })
    expect(await list('--names', 'status')).toMatchObject({ code: 2, output: expect.stringContaining('status') })
    expect(await list('--names', 'a', '--any')).toMatchObject({ code: 2 })
  })
})
