import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { remindOfDueDates } from '../../../db/commands/deadline-sweeps.ts'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { addChargeback } from '../api/chargebacks/chargeback-rows.ts'
import { type Events, openEvents } from './events-fixture.ts'

let on: Events
beforeAll(async () => {
  on = await openEvents()
})
afterAll(() => on[Symbol.asyncDispose]())

describe('events of timeline rows', () => {
  test('the first load is quiet, and its end is told', async () => {
    const integrationId = await on.newIntegration()
    const cursor = await on.latest()
    const id = await addChargeback(on.stage.db, { ...on.at, integrationId })
    await on.note(id, 'ingested')
    const early = await on.read(cursor)
    await on.firstLoad(integrationId)
    await on.read(cursor)
    // The transaction of a chargeback of the first load is read after its end.
    await on.note(id, 'enriched', { cardScheme: 'visa' })
    await on.note(id, 'details changed')
    const all = await on.read(cursor)
    expect(all.map(({ type }) => type)).toEqual([
      ...['chargeback.created', 'integration.first_load_completed', 'chargeback.updated', 'chargeback.updated'],
    ])
    expect(early.map(({ quiet }) => quiet)).toEqual([true])
    expect(all.map(({ quiet }) => quiet)).toEqual([true, undefined, true, undefined])
  })

  test('what was loaded before the column existed is no first load', async () => {
    const integrationId = await on.newIntegration()
    await on.stage.db
      .updateTable('integration')
      .set({ last_successful_poll_at: new Date(Date.now() - 1_000) })
      .where('integration_id', '=', integrationId)
      .execute()
    const cursor = await on.latest()
    await on.note(await addChargeback(on.stage.db, { ...on.at, integrationId }), 'ingested')
    await on.firstLoad(integrationId)
    expect((await on.read(cursor)).map(({ type, quiet }) => [type, quiet])).toEqual([['chargeback.created', undefined]])
  })

  test('a due date is told twice, at the hours that the account set, and again when it moves', async () => {
    const id = await addChargeback(on.stage.db, on.at, { due_date: new Date('2031-01-10T00:00:00Z') })
    const sweep = (time: string) => remindOfDueDates(on.stage.db, new Date(time), 1_000)
    await sweep('2031-01-01T00:00:00Z')
    const cursor = await on.latest()
    await sweep('2031-01-06T23:00:00Z')
    for (const time of ['01:00', '02:00']) await sweep(`2031-01-07T${time}:00Z`)
    for (const time of ['01:00', '02:00']) await sweep(`2031-01-09T${time}:00Z`)
    await on.stage.db
      .updateTable('chargeback')
      .set({ due_date: new Date('2031-02-10T00:00:00Z') })
      .where('id', '=', id)
      .execute()
    await changeSettings(on.stage.db, on.stage.accountId, { reminderHours: 0, lastReminderHours: 48 })
    for (const time of ['07T01:00', '08T01:00', '09T01:00']) await sweep(`2031-02-${time}:00Z`)
    await changeSettings(on.stage.db, on.stage.accountId, { reminderHours: null, lastReminderHours: null })
    const own = (await on.read(cursor)).filter(({ data }) => data.chargeback.id === id)
    expect(own.map(({ type, data }) => [type, data.changes[0].after])).toEqual([
      ['chargeback.due_soon', { dueDate: '2031-01-10T00:00:00.000Z', hours: 72 }],
      ['chargeback.due_soon', { dueDate: '2031-01-10T00:00:00.000Z', hours: 24 }],
      ['chargeback.due_soon', { dueDate: '2031-02-10T00:00:00.000Z', hours: 48 }],
    ])
  })

  test('nobody is reminded of a chargeback that is being answered, or needs no answer', async () => {
    const due_date = new Date(Date.now() + 3_600_000)
    const ids = [
      await addChargeback(on.stage.db, on.at, { due_date, psp_status: 'under_review' }),
      await addChargeback(on.stage.db, on.at, { due_date, status: 'not_represented' }),
      await addChargeback(on.stage.db, on.at, { due_date }),
    ]
    await on.accept(ids[2] as string)
    const cursor = await on.latest()
    await remindOfDueDates(on.stage.db, new Date(), 1_000)
    const reminded = (await on.read(cursor)).map(({ data }) => data.chargeback.id)
    expect(reminded.filter((id) => ids.includes(id))).toEqual([])
  })

  test('free text in a timeline row is named and never told', async () => {
    const id = await addChargeback(on.stage.db, on.at)
    const acceptanceId = await on.accept(id)
    const cursor = await on.latest()
    await on.note(id, 'details changed', { cardScheme: 'visa', fields: ['reason'], invented: 'Jane Planted' })
    await on.note(id, 'acceptance failed', { acceptanceId, error: 'Jane Planted' })
    await on.note(id, 'status changed', { status: 'not_represented', reason: 'Nothing was charged back.' })
    const events = await on.read(cursor)
    expect(JSON.stringify(events)).not.toContain('Planted')
    expect(events.map(({ data }) => data.changes[0].after)).toEqual([
      { cardScheme: 'visa', fields: ['reason', 'invented'] },
      { acceptanceId, fields: ['error'] },
      { status: 'not_represented', reason: 'Nothing was charged back.' },
    ])
  })
})
