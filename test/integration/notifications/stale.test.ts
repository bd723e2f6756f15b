import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operatedIntegrations } from '../../../db/integrations/integration-operations.ts'
import { STALE } from '../../../db/polling/stale.ts'
import { adyenSubject } from '../../../simulators/adyen/subject.ts'
import { openFixture } from './psp-fixture.ts'

/** Disputes whose end Adyen did not report: it has no list and no read, so a lost notification stays lost. */

const DAY = 86_400_000
/** Days that the worker's clock is ahead. */
let ahead = 0
const alarms: [string, number][] = []
let fixture: Awaited<ReturnType<typeof openFixture>>
let integrationId: string
let url: string
beforeAll(async () => {
  fixture = await openFixture(adyenSubject, {
    now: () => new Date(Date.now() + ahead * DAY),
    stale: (...alarm) => void alarms.push(alarm),
  })
  ;({ integrationId, url } = await fixture.integrate())
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  ahead = 0
  alarms.length = 0
})

/** A dispute that was notified about and polled; it is due in two days. */
async function ingested(order: object): Promise<string> {
  const { disputes } = await fixture.control('/disputes', { count: 1, reason: '4837', dueInHours: 48, ...order })
  const ref = disputes[0]?.ref ?? ''
  await fixture.control('/notifications', { url, ref, count: 50 })
  await fixture.poll(integrationId)
  return ref
}
const OPEN = { status: 'needs_response', stage: 'chargeback' }
const row = (ref: string) =>
  fixture.stage.db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', ref).executeTakeFirstOrThrow()
const alarmsIn = async (ref: string) => {
  const { id } = await row(ref)
  const query = fixture.stage.db.selectFrom('timeline_event').select(['source', 'what', 'after'])
  return query.where('chargeback_id', '=', id).where('what', '=', STALE).execute()
}
/** The database's clock can't be moved, so the time of the next check is. */
const makeDue = (ref: string) =>
  fixture.stage.db
    .updateTable('chargeback')
    .set({ reread_after: new Date(Date.now() - 1_000) })
    .where('chargeback_id', '=', ref)
    .execute()
async function pollLater(ref: string, days: number) {
  ahead = days
  await makeDue(ref)
  return fixture.poll(integrationId)
}
const staleNow = async () => (await operatedIntegrations(fixture.stage.db, { integrationId }))[0]?.stale

describe('a dispute whose end is not reported', () => {
  test('is not checked until a week after its due date', async () => {
    const ref = await ingested(OPEN)
    const { due_date } = await row(ref)
    expect((await row(ref)).reread_after?.getTime()).toBe((due_date?.getTime() ?? 0) + 7 * DAY)
    const before = fixture.calls().length
    await pollLater(ref, 8)
    expect((await row(ref)).reread_after?.getTime()).toBe((due_date?.getTime() ?? 0) + 7 * DAY)
    expect(fixture.calls().length).toBe(before)
    expect(await alarmsIn(ref)).toEqual([])
  })

  test('is then checked at Adyen and reported to operators once, and keeps its status', async () => {
    const ref = await ingested(OPEN)
    const before = await row(ref)
    const others = (await staleNow()) ?? 0
    for (let times = 0; times < 2; times++) expect(await pollLater(ref, 10)).toMatchObject({ reread: 1, changed: 0 })
    expect(fixture.calls().at(-1)?.path).toMatch(/retrieveApplicableDefenseReasons$/)
    expect(alarms).toEqual([['adyen', 1]])
    const after = { answerable: true, dueDate: before.due_date?.toISOString() }
    expect(await alarmsIn(ref)).toEqual([{ source: 'adyen', what: STALE, after }])
    expect(await staleNow()).toBe(others + 1)
    const { psp_status, status, version, anomalies, reread_after } = await row(ref)
    expect({ psp_status, status, version }).toEqual({
      psp_status: 'needs_response',
      status: before.status,
      version: before.version,
    })
    expect(anomalies.filter((one) => one === STALE)).toHaveLength(1)
    expect(reread_after?.getTime()).toBeGreaterThan(Date.now() + 6.9 * DAY)
  })

  test('is known to be closed if Adyen accepts no response any more, but not its outcome', async () => {
    const ref = await ingested(OPEN)
    await fixture.control(`/disputes/${ref}/decide`, { outcome: 'lost' })
    await pollLater(ref, 10)
    expect(await alarmsIn(ref)).toMatchObject([{ after: { answerable: false } }])
    expect((await row(ref)).psp_status).toBe('needs_response')
  })

  test('is no longer stale once its notification arrives', async () => {
    const ref = await ingested(OPEN)
    await pollLater(ref, 10)
    const stale = (await staleNow()) ?? 0
    await fixture.control(`/disputes/${ref}/decide`, { outcome: 'lost' })
    await fixture.control('/notifications', { url, ref, count: 50 })
    await fixture.poll(integrationId)
    expect(await row(ref)).toMatchObject({ psp_status: 'lost', anomalies: [], reread_after: null })
    expect(await staleNow()).toBe(stale - 1)
  })

  test('is checked an hour later if Adyen is unavailable, and does not block the poll', async () => {
    const ref = await ingested(OPEN)
    await fixture.control('/faults', { kind: '500', count: 1 })
    expect(await pollLater(ref, 10)).toMatchObject({ done: true, reread: 0 })
    const wait = ((await row(ref)).reread_after?.getTime() ?? 0) - Date.now()
    expect(wait).toBeGreaterThan(50 * 60_000)
    expect(wait).toBeLessThan(70 * 60_000)
    expect(await alarmsIn(ref)).toEqual([])
    await pollLater(ref, 10)
    expect(await alarmsIn(ref)).toHaveLength(1)
  })

  test('is given three months for the issuer’s decision', async () => {
    const ref = await ingested({ status: 'under_review', stage: 'chargeback', dueInHours: undefined })
    const { psp_status_change_date, due_date, reread_after } = await row(ref)
    const since = Math.max(psp_status_change_date?.getTime() ?? 0, due_date?.getTime() ?? 0)
    expect(reread_after?.getTime()).toBe(since + 90 * DAY)
  })
})

test('an inbox keeps notifications of any age, because a payment may be disputed a year later', async () => {
  const ref = await ingested(OPEN)
  const ago = new Date(Date.now() - 400 * DAY)
  await fixture.stage.db.updateTable('notification').set({ received_at: ago }).execute()
  await fixture.stage.db.insertInto('reread').values({ integration_id: integrationId, reference: ref }).execute()
  const before = (await fixture.stored(integrationId)).length
  expect(await fixture.poll(integrationId)).toMatchObject({ reread: 1 })
  expect(await fixture.stored(integrationId)).toHaveLength(before)
})
