import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const timeline = (id: string, options = {}) => stage.call('GET', `/v1/chargebacks/${id}/timeline`, options)

describe('GET /chargebacks/{id}/timeline', () => {
  it('shows every change, oldest first, with its source', async () => {
    const id = await addChargeback(stage.db, at, { reason_group: 'compliance', transaction_id: 'tx_told' })
    const full = { transactionStatus: 'settled', transactionArn: '1', transactionOrderEmail: 'a@b.cd' }
    await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { note: 'x' } })
    await stage.call('POST', '/v1/transactions', { body: { transactionId: 'tx_told', ...full } })
    await stage.call('POST', `/v1/chargebacks/${id}/accept`)
    const { status, body } = await timeline(id)
    expect({ status, envelope: body.status, message: body.message }).toEqual({
      status: 200,
      envelope: 200,
      message: 'Timeline retrieved',
    })
    expect(body.data.map(({ source, what }: Record<string, string>) => [source, what])).toEqual([
      ['api', 'data points changed'],
      ['api', 'reason changed'],
      ['api', 'assessment changed'],
      ['api', 'transaction joined'],
      ['api', 'assessment changed'],
      ['api', 'acceptance requested'],
    ])
    const times = body.data.map((event: { when: string }) => event.when)
    expect(times).toEqual([...times].sort())
    expect(body.data[5]).not.toHaveProperty('before')
  })

  it('names the credential that asked for it, of the own account only', async () => {
    const id = await addChargeback(stage.db, at)
    const { accountId, merchantUuid } = stage
    const { token } = await stage.issue({ accountId, merchantUuid, scope: 'merchant', role: 'work', name: 'Jana' })
    await stage.call('PATCH', `/v1/chargebacks/${id}/should-fight`, { token, body: { shouldFight: true } })
    const foreign = (after: object) =>
      stage.db
        .insertInto('timeline_event')
        .values({
          merchant_uuid: merchantUuid,
          chargeback_id: id,
          source: 'api',
          what: 'details changed',
          after: JSON.stringify(after),
        })
        .execute()
    const other = await createAccount(stage.db, { name: 'Other' })
    const { credentialId } = await stage.issue({ accountId: other.accountId, scope: 'account', name: 'Stranger' })
    await foreign({ credentialId })
    await foreign({ credentialId: 'no id' })
    const { data } = (await timeline(id)).body
    expect(data.find(({ what }: { what: string }) => what === 'should-fight decided')).toMatchObject({ by: 'Jana' })
    expect(data.filter(({ by }: { by?: string }) => by !== undefined)).toHaveLength(1)
  })

  it('shows amounts and times in the format of the chargeback, also of older events', async () => {
    const id = await addChargeback(stage.db, at, { currency: 'KWD', amount_minor: 12_345n, amount_exponent: 3 })
    const event = { merchant_uuid: at.merchantUuid, chargeback_id: id, source: 'stripe' }
    const values = (amountMinor: string, dueDate: string) => JSON.stringify({ amountMinor, dueDate, status: 'x' })
    await stage.db
      .insertInto('timeline_event')
      .values({
        ...event,
        what: 'amount changed',
        before: values('12000', '2026-02-01T10:00:00+00:00'),
        after: values('12345', '2026-02-02T12:00:00.5+02:00'),
      })
      .execute()
    const [shown] = (await timeline(id)).body.data
    const { data } = (await stage.call('GET', `/v1/chargebacks/${id}`)).body
    expect(shown).toMatchObject({
      before: { amount: 12, currency: 'KWD', dueDate: '2026-02-01T10:00:00.000Z', status: 'x' },
      after: { amount: data.amount, currency: data.currency, dueDate: '2026-02-02T10:00:00.500Z' },
    })
    expect(shown.after).not.toHaveProperty('amountMinor')
  })

  it('is empty if nothing happened', async () => {
    expect((await timeline(await addChargeback(stage.db, at))).body.data).toEqual([])
  })

  it('returns 404 for an id that is malformed, missing or another merchant’s', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const foreign = await addChargeback(stage.db, { ...other, integrationId })
    for (const id of ['nonsense', randomUUID(), foreign])
      expect(await timeline(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })

  it('cannot be altered or shortened in the database', async () => {
    const id = await addChargeback(stage.db, at)
    await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { a: 1 } })
    const before = (await timeline(id)).body.data
    const events = () => stage.db.selectFrom('timeline_event')
    expect(await events().select('what').where('chargeback_id', '=', id).execute()).not.toEqual([])
    await expect(stage.db.deleteFrom('timeline_event').where('chargeback_id', '=', id).execute()).rejects.toThrow(
      'append-only',
    )
    await expect(
      stage.db.updateTable('timeline_event').set({ what: 'nothing' }).where('chargeback_id', '=', id).execute(),
    ).rejects.toThrow('append-only')
    await expect(stage.db.schema.dropTable('chargeback').execute()).rejects.toThrow()
    expect((await timeline(id)).body.data).toEqual(before)
  })
})
