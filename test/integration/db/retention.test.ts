import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { NOTE_TYPE, storeNotification } from '../../../db/polling/notifications.ts'
import { expireRows, sweepStates } from '../../../db/retention/retention.ts'
import { addChargeback, addEvidenceFile, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
/** Three full passes. @returns the number of deleted rows */
async function sweep(limit = 100, inboxes: { source: string; secretType: string }[] = []): Promise<number> {
  let deleted = 0
  for (let passes = 0; passes < 3; ) {
    deleted += await expireRows(stage.db, inboxes, limit)
    const open = await stage.db.selectFrom('retention_sweep').select('kind').where('position', 'is not', null).execute()
    if (open.length === 0) passes++
  }
  return deleted
}

/** A closed chargeback with its raw object, both that many days old. */
async function closed(reference: string, days: number, change: object = {}): Promise<string> {
  const decided = {
    psp_status: 'lost',
    psp_status_change_date: ago(days),
    created_at: ago(days),
    updated_at: ago(days),
  }
  const id = await addChargeback(stage.db, at, { chargeback_id: reference, ...decided, ...change })
  const object = { integration_id: at.integrationId, kind: 'dispute', reference, sealed: '', fetched_at: ago(days) }
  await stage.db.insertInto('raw_object').values(object).execute()
  return id
}
const kept = async (table: 'raw_object' | 'quarantine') =>
  (await stage.db.selectFrom(table).select('reference').orderBy('reference').execute()).map((row) => row.reference)

async function quarantine(reference: string | null, days: number): Promise<void> {
  const row = { integration_id: at.integrationId, reference, reason: 'bad', sealed: '', translation_version: 1 }
  const hash = Buffer.from(`${reference} ${days}`)
  await stage.db
    .insertInto('quarantine')
    .values({ ...row, hash, last_seen_at: ago(days) })
    .execute()
}

describe('finding 5: rows past their period are deleted, and nothing else', () => {
  it('raw objects: not while open, in a command, in quarantine, without a chargeback, or too young', async () => {
    await closed('old', 2_600)
    await closed('old-2', 2_600, { psp_status: 'not_applicable' })
    await closed('young', 2_500)
    await closed('open', 2_600, { psp_status: 'needs_response' })
    await closed('review', 2_600, { psp_status: 'under_review' })
    await closed('reopened', 2_600, { psp_status_change_date: ago(3) })
    await quarantine('set-aside', 20)
    await closed('set-aside', 2_600)
    const atWork = await closed('at-work', 2_600)
    await stage.db
      .insertInto('command')
      .values({
        ...{ command_id: atWork, kind: 'acceptance', merchant_uuid: at.merchantUuid, chargeback_id: atWork, round: 1 },
        ...{ deadline: ago(2_599), source: 'stripe', psp_account: '?', reference: 'at-work', status: 'inProgress' },
      })
      .execute()
    await stage.db
      .insertInto('raw_object')
      .values({
        integration_id: at.integrationId,
        kind: 'dispute',
        reference: 'alone',
        sealed: '',
        fetched_at: ago(9_999),
      })
      .execute()
    expect(await sweep(2)).toBe(2)
    expect(await kept('raw_object')).toEqual(['alone', 'at-work', 'open', 'reopened', 'review', 'set-aside', 'young'])
    expect(await sweep()).toBe(0)
  })

  it('each account by its own period', async () => {
    await changeSettings(stage.db, stage.accountId, { rawObjectDays: 2_450 })
    expect(await sweep()).toBe(1)
    await changeSettings(stage.db, stage.accountId, { rawObjectDays: 36_500 })
    await closed('for-ever', 9_000)
    expect(await sweep()).toBe(0)
    await changeSettings(stage.db, stage.accountId, { rawObjectDays: null })
  })

  it('objects in quarantine: two years after they were seen, unless their chargeback is open', async () => {
    await closed('open-too', 800, { psp_status: 'needs_response' })
    await quarantine('open-too', 800)
    await quarantine(null, 800)
    await quarantine('gone', 800)
    await quarantine('seen', 700)
    await sweep()
    expect(await kept('quarantine')).toEqual(['open-too', 'seen', 'set-aside'])
  })

  it('notifications: after a month; for a PSP without a list, with their decided disputes', async () => {
    const { integrationId } = at
    const add = async (notificationId: string, days: number, references: string[], type = 'charge.dispute') => {
      await storeNotification(
        stage.db,
        stage.ring,
        { integrationId, notificationId, type, references, body: '{}' },
        { reread: false },
      )
      await stage.db
        .updateTable('notification')
        .set({ received_at: ago(days) })
        .where('notification_id', '=', notificationId)
        .execute()
    }
    const left = async () =>
      (await stage.db.selectFrom('notification').select('notification_id').orderBy('position').execute()).map(
        (row) => row.notification_id,
      )
    await closed('told', 2_600)
    await add('hint', 31, ['open'])
    await add('young', 29, ['open'])
    await add('hint-of-quarantined', 31, ['set-aside'])
    await add('note', 2_600, ['told'], NOTE_TYPE)
    await add('note-of-open', 2_600, ['told', 'open'], NOTE_TYPE)
    await add('note-of-unknown', 2_600, ['never-stored'], NOTE_TYPE)
    await add('only-told', 2_600, ['open'])
    await stage.db.insertInto('reread').values({ integration_id: integrationId, reference: 'asked' }).execute()
    await add('asked', 31, ['asked'])
    await sweep(100, [{ source: 'stripe', secretType: 'APIKEY_ONLY' }])
    expect(await left()).toEqual([
      'hint',
      'young',
      'hint-of-quarantined',
      'note-of-open',
      'note-of-unknown',
      'only-told',
      'asked',
    ])
    await sweep()
    expect(await left()).toEqual(['young', 'hint-of-quarantined', 'note-of-open', 'note-of-unknown', 'asked'])
  })

  it('posted objects: half a year after they were processed, unless work waits for them or their chargeback is open', async () => {
    const post = async (reference: string, days: number, change: object = {}) => {
      await stage.db
        .insertInto('ingestion')
        .values({
          ...{ ingestion_id: randomUUID(), merchant_uuid: at.merchantUuid, integration_id: at.integrationId },
          ...{ credential_id: randomUUID(), data_source: 'stripe', data_source_version: '1', data_type: 'refund' },
          ...{ reference, request_timestamp: ago(days), status: 'applied', created_at: ago(days + 1) },
          ...{ processed_at: ago(days), ...change },
        })
        .execute()
    }
    await post('posted', 181)
    await post('posted-lately', 179)
    await post('failed', 181, { status: 'failed' })
    await post('never-started', 900, { status: 'created', processed_at: null })
    await post('waited', 181, { status: 'waiting' })
    await post('waits', 179, { status: 'waiting' })
    await post('about-open', 900, { about: ['open'] })
    await post('about-closed', 900, { about: ['old'] })
    await post('open', 900)
    await sweep()
    const rows = await stage.db.selectFrom('ingestion').select('reference').orderBy('reference').execute()
    expect(rows.map((row) => row.reference)).toEqual(['about-open', 'never-started', 'open', 'posted-lately', 'waits'])
    const [state] = (await sweepStates(stage.db)).filter(({ kind }) => kind === 'ingestion')
    expect(state).toMatchObject({ deleted: 4 })
    expect(state?.oldestSeconds).toBeGreaterThan(800 * 86_400)
  })

  it('counts of requests: a day after their window, for any number of addresses', async () => {
    const expire = (hours: number) => BigInt(Date.now() - hours * 3_600_000)
    await stage.db
      .insertInto('request_count')
      .values([
        ...Array.from({ length: 50 }, (_, n) => ({ key: `stranger ${n}`, points: 1, expire: expire(25) })),
        { key: 'lately', points: 1, expire: expire(23) },
      ])
      .execute()
    await sweep()
    const rows = await stage.db.selectFrom('request_count').select('key').where('points', '=', 1).execute()
    expect(rows.map(({ key }) => key)).toContain('lately')
    expect(rows.filter(({ key }) => key.startsWith('stranger '))).toEqual([])
  })

  it('files: unused ones after half a year; submitted ones 18 months after the decision; hashes stay', async () => {
    const newFile = async (days: number, values: object = {}) => {
      const fileId = await addEvidenceFile(stage, stage.merchantUuid)
      await stage.db
        .updateTable('file')
        .set({ created_at: ago(days), ...values })
        .where('file_id', '=', fileId)
        .execute()
      return fileId
    }
    const submit = async (fileId: string, status: string, chargeback: object) => {
      const id = await addChargeback(stage.db, at)
      const { body } = await stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
      await stage.db
        .updateTable('command')
        .set({ status, requested_at: ago(600) })
        .where('command_id', '=', body.id)
        .execute()
      await stage.db
        .updateTable('chargeback')
        .set({ created_at: ago(900), ...chargeback })
        .where('id', '=', id)
        .execute()
      return fileId
    }
    const lost = (days: number) => ({ psp_status: 'lost', psp_status_change_date: ago(days) })
    const files = {
      unused: await newFile(181),
      ...{ young: await newFile(179), policy: await newFile(900, { merchant_wide: true }) },
      failed: await submit(await newFile(900), 'failed', lost(600)),
      decided: await submit(await newFile(900), 'succeeded', lost(549)),
      lately: await submit(await newFile(900), 'succeeded', lost(547)),
      open: await submit(await newFile(900), 'succeeded', { psp_status: 'under_review' }),
      atWork: await submit(await newFile(900), 'inProgress', lost(600)),
      shared: await submit(await submit(await newFile(900), 'succeeded', lost(600)), 'created', {}),
    }
    await sweep()
    const rows = await stage.db.selectFrom('file').select(['file_id', 'erased_at', 'sha256']).execute()
    const state = (fileId: string) => {
      const row = rows.find((one) => one.file_id === fileId)
      return row ? (row.erased_at ? 'proof' : 'kept') : 'gone'
    }
    expect(Object.fromEntries(Object.entries(files).map(([name, fileId]) => [name, state(fileId)]))).toEqual({
      ...{ unused: 'gone', young: 'kept', failed: 'proof', decided: 'proof', policy: 'kept' },
      ...{ lately: 'kept', open: 'kept', atWork: 'kept', shared: 'kept' },
    })
  })

  it('reports what was deleted, the age of the oldest row and the time of the last full pass', async () => {
    const states = Object.fromEntries((await sweepStates(stage.db)).map((state) => [state.kind, state]))
    expect(Object.keys(states).sort()).toEqual([
      ...['console_session', 'evidence_package', 'evidence_plan', 'file', 'idempotency_key', 'ingestion'],
      ...['list_page', 'notification', 'quarantine', 'raw_object', 'request_count', 'webhook_delivery'],
    ])
    expect(states.file?.deleted).toBe(3)
    expect(states.raw_object?.oldestSeconds).toBeCloseTo(9_999 * 86_400, -4)
    expect(states.raw_object?.passedSeconds).toBeLessThan(60)
  })
})
