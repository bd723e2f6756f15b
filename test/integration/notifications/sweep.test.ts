import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InProcess, openInProcess, subjectOf } from '../../harness/in-process.ts'

let world: InProcess
let integrationId: string
beforeAll(async () => {
  world = await openInProcess(subjectOf('stripe'), {})
  integrationId = await world.connect()
  // The list is read back to two days before the newest dispute: this one keeps old disputes out of it.
  const ref = await create({ status: 'lost', ageDays: 0.01 })
  await poll()
  await chargebackOf(ref)
})
afterAll(() => world[Symbol.asyncDispose]())

/** A whole poll, like its workflow. */
async function poll(): Promise<void> {
  const { ingestPages, enrichChargebacks } = world.activities
  for (let done = false; !done; ) done = (await world.run(ingestPages, { integrationId })).done
  for (let done = false; !done; ) done = (await world.run(enrichChargebacks, { integrationId })).done
}
async function create(order: Record<string, unknown>): Promise<string> {
  return (await world.control('POST', '/disputes', { status: 'needs_response', ...order })).disputes[0].ref
}
/** Read through the API. */
async function chargebackOf(ref: string) {
  const { body } = await world.stage.call('GET', `/v1/chargebacks?chargebackId=${ref}`)
  expect(body.data).toHaveLength(1)
  return body.data[0]
}
const row = (ref: string) =>
  world.stage.db.selectFrom('chargeback').selectAll().where('chargeback_id', '=', ref).executeTakeFirstOrThrow()
/** Makes these due to be read again. */
const makeDue = async (refs: string[]) => {
  const past = new Date(Date.now() - 1_000)
  await world.stage.db
    .updateTable('chargeback')
    .set({ reread_after: past })
    .where('chargeback_id', 'in', refs)
    .execute()
  // A page of the list is stored with the time at which its first dispute is due.
  await world.stage.db.updateTable('list_page').set({ due_at: past }).execute()
}
const due = async () => {
  const rows = await world.stage.db
    .selectFrom('chargeback')
    .select('chargeback_id')
    .where('reread_after', '<=', new Date())
    .execute()
  return rows.map((one) => one.chargeback_id)
}
const calls = async (): Promise<{ path: string }[]> => (await world.control('GET', '/calls?method=GET')).calls
const readings = async (ref: string) => (await world.control('GET', `/calls?path=/v1/disputes/${ref}`)).calls.length
const DAY = 86_400_000

/** Lost disputes, so old that the list of a later poll does not reach back to them. */
async function decided(count = 1): Promise<string[]> {
  const order = { status: 'lost', stage: 'chargeback', ageDays: 60, count: 2 * count + 16 }
  const { disputes } = await world.control('POST', '/disputes', order)
  const old: string[] = []
  for (const { ref } of disputes) {
    const { object } = await world.control('GET', `/disputes/${ref}`)
    // One whose evidence was staged and never sent has its own status.
    const sent = !object.evidence_details.has_evidence || object.evidence_details.submission_count > 0
    if (sent && object.created * 1000 < Date.now() - 5 * DAY) old.push(ref)
  }
  const refs = old.slice(0, count)
  // Read by reference, since no list shows them any more.
  for (const reference of refs)
    await world.stage.db.insertInto('reread').values({ integration_id: integrationId, reference }).execute()
  await poll()
  for (const ref of refs) await chargebackOf(ref)
  return refs
}

describe('a sweep', () => {
  test('finds a decided dispute that changes later, which no list shows', async () => {
    const [ref = ''] = await decided()
    expect(await chargebackOf(ref)).toMatchObject({ pspStatus: 'lost' })
    await world.control('PATCH', `/disputes/${ref}`, { status: 'won' })
    await poll()
    expect(await chargebackOf(ref)).toMatchObject({ pspStatus: 'lost' })
    await makeDue([ref])
    await poll()
    expect(await chargebackOf(ref)).toMatchObject({ pspStatus: 'won' })
    const next = (await row(ref)).reread_after?.getTime() ?? 0
    expect(next).toBeGreaterThan(Date.now() + 6.9 * DAY)
    expect(next).toBeLessThan(Date.now() + 7.1 * DAY)
  })

  test('stops reading a decided dispute that has not changed for 180 days', async () => {
    const [ref = ''] = await decided()
    await world.stage.db
      .updateTable('chargeback')
      .set({ psp_status_change_date: new Date(Date.now() - 179 * DAY) })
      .where('chargeback_id', '=', ref)
      .execute()
    await makeDue([ref])
    await poll()
    expect((await row(ref)).reread_after).toBeNull()
    expect(await readings(ref)).toBe(2)
  })

  test('reads fifty at a time, and eventually all of them', async () => {
    const refs = await decided(60)
    const before = (await calls()).length
    await makeDue(refs)
    await poll()
    await poll()
    expect(await due()).toEqual([])
    // Each poll requests the list, too.
    let inOnePoll = 0
    let most = 0
    for (const { path } of (await calls()).slice(before)) {
      if (path === '/v1/disputes') inOnePoll = 0
      else if (refs.some((ref) => path.endsWith(ref))) most = Math.max(most, ++inOnePoll)
    }
    expect(most).toBe(50)
  })

  test('a dispute that a list shows counts as read', async () => {
    const ref = await create({ ageDays: 1 })
    await poll()
    expect(await chargebackOf(ref)).toMatchObject({ isEnriched: true })
    await makeDue([ref])
    const { version } = await row(ref)
    await poll()
    expect(await due()).toEqual([])
    expect((await row(ref)).version).toBe(version)
    expect(await readings(ref)).toBe(0)
  })

  test('a dispute deleted at the PSP is reported once in the timeline, and does not delay others', async () => {
    const [deleted = '', other = ''] = await decided(2)
    const { pspStatus } = await chargebackOf(deleted)
    await world.control('DELETE', `/disputes/${deleted}`)
    await world.control('PATCH', `/disputes/${other}`, { status: 'won' })
    for (let times = 0; times < 2; times++) {
      await makeDue([deleted, other])
      await poll()
      expect(await due()).toEqual([])
    }
    expect(await chargebackOf(other)).toMatchObject({ pspStatus: 'won' })
    const { id, reread_after } = await row(deleted)
    expect(reread_after?.getTime()).toBeGreaterThan(Date.now() + 6.9 * DAY)
    const events = await world.stage.db
      .selectFrom('timeline_event')
      .select('what')
      .where('chargeback_id', '=', id)
      .where('what', '=', 'not found at the PSP')
      .execute()
    expect(events).toHaveLength(1)
    expect(await chargebackOf(deleted)).toMatchObject({ pspStatus })
  })

  test('a dispute for which the PSP returns an error waits an hour, the others are read', async () => {
    const [failing = '', healthy = ''] = await decided(2)
    await world.control('PATCH', `/disputes/${healthy}`, { status: 'won' })
    await world.control('POST', '/faults', { kind: '500', count: 3, match: { path: `/v1/disputes/${failing}` } })
    await makeDue([failing, healthy])
    await poll()
    expect(await due()).toEqual([])
    await world.control('DELETE', '/faults')
    expect(await chargebackOf(healthy)).toMatchObject({ pspStatus: 'won' })
    const waits = ((await row(failing)).reread_after?.getTime() ?? 0) - Date.now()
    expect(waits).toBeGreaterThan(50 * 60_000)
    expect(waits).toBeLessThan(70 * 60_000)
  })
})
