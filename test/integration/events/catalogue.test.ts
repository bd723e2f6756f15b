import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventSchema, exampleEvent } from '../../../api/routes/events/event-shape.ts'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { remindOfDueDates } from '../../../db/commands/deadline-sweeps.ts'
import { createRemoval, finishRemoval } from '../../../db/erasure/removals.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { readEvents } from '../../../db/events/log.ts'
import { recordPoll, recordVerdict } from '../../../db/integrations/connections.ts'
import {
  deactivateIntegration,
  deactivateMerchant,
  finishDeactivation,
} from '../../../db/integrations/deactivations.ts'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { takeLease } from '../../../db/polling/lease.ts'
import { EVENT_TYPES, matchingTypes } from '../../../domain/events/catalogue.ts'
import { renderEvents } from '../../../webhooks/render.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addEvidenceFile, addIntegration, type Place } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  stage = await createStage()
  at = { merchantUuid: stage.merchantUuid, integrationId: await newIntegration() }
  await firstLoad(at.integrationId)
})
afterAll(() => stage[Symbol.asyncDispose]())

const newIntegration = () => addIntegration(stage.db, stage.ring, stage.merchantUuid)
async function firstLoad(integrationId: string): Promise<void> {
  const lease = await takeLease(stage.db, integrationId, 'test')
  if (lease === null) throw new Error('there is no lease')
  await recordPoll(stage.db, lease, { ok: true })
}
const note = (chargebackId: string, what: string, after: object | null = null, before: object | null = null) =>
  stage.db
    .insertInto('timeline_event')
    .values({
      ...{ merchant_uuid: at.merchantUuid, chargeback_id: chargebackId, source: 'stripe', what },
      ...{ before: JSON.stringify(before), after: JSON.stringify(after) },
    })
    .execute()

/** Requests an acceptance. @returns its id */
async function accept(chargebackId: string): Promise<string> {
  await stage.call('POST', `/v1/chargebacks/${chargebackId}/accept`)
  const command = stage.db.selectFrom('command').select('command_id').where('chargeback_id', '=', chargebackId)
  return (await command.executeTakeFirstOrThrow()).command_id
}

interface Read {
  type: string
  quiet?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the tests check it
  data: any
}
/** What the log has from a cursor on, once everything has a position. */
async function read(after: string): Promise<Read[]> {
  await until('nothing waits for a position', async () => {
    await sequence(stage.db)
    const lines = await stage.db.selectFrom('event_line').select('event_line_id').execute()
    return lines.length === 0 && (await sequencerLag(stage.db)) === 0
  })
  const { body } = await stage.call('GET', `/v1/events?limit=100&after=${after}`)
  return body.data
}
const latest = async () => {
  await read('latest')
  return (await stage.call('GET', '/v1/events?after=latest')).body.nextCursor as string
}
const types = (events: Read[]) => events.map(({ type }) => type)

/** Makes each event of the catalogue happen, by its writer where that needs no PSP. */
async function everything(): Promise<void> {
  const { db, ring, merchantUuid } = stage
  const id = await addChargeback(db, at)
  await note(id, 'ingested', { pspStatus: 'needs_response' })
  for (const status of ['won', 'lost', 'split'])
    await note(id, 'pspStatus changed', { pspStatus: status }, { pspStatus: 'under_review' })
  await note(id, 'pspStatus changed', { pspStatus: 'needs_response' }, { pspStatus: 'lost' })
  await addChargeback(db, at, { due_date: new Date(Date.now() + 3_600_000) })
  await remindOfDueDates(db, new Date(), 10)
  await note(id, 'details changed', { cardScheme: 'visa' })

  const acceptanceId = await accept(id)
  await note(id, 'acceptance due soon and still open', { acceptanceId })
  await note(id, 'acceptance failed', { acceptanceId })
  const acceptance = await loadCommand(db, acceptanceId)
  if (acceptance) await endCommand(db, acceptance, { status: 'succeeded' }, 'stripe')

  const contested = await addChargeback(db, at)
  const fileId = await addEvidenceFile(stage, merchantUuid)
  const { body } = await stage.call('POST', `/v1/chargebacks/${contested}/evidence/submit`, { body: { fileId } })
  const submitEvidenceId = body.id
  await note(contested, 'evidence planned', { submitEvidenceId, dropped: [{ what: 'text', why: 'too long' }] })
  for (const end of ['due soon and still open', 'failed', 'succeeded'])
    await note(contested, `evidence submission ${end}`, { submitEvidenceId })

  const alertId = await storeAlert(db, at, { ...NO_FACTS, reference: 'A7P2XQ9M4K', psp: 'stripe' })
  await stage.call('POST', '/v1/pre-chargeback-alerts/alerts/outcome', {
    body: { alertId, providerName: 'Ethoca', outcome: 'stopped', comments: 'Jane Planted called' },
  })

  const integrationId = await newIntegration()
  await recordVerdict(db, integrationId, { status: 'FAILED', reason: 'The PSP refused the key.' })
  await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: 'acct_1' })
  await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: 'acct_1' })
  await firstLoad(integrationId)
  await firstLoad(integrationId)
  const order = { ...{ merchantUuid, credentialId: stage.credentialId, now: new Date() }, deactivation: PAST }
  await deactivateIntegration(db, { ...order, integrationId })
  const who = { email: 'jane@planted.example', firstName: 'Jane', lastName: 'Planted' }
  const { removalId } = await createRemoval(db, ring, { merchantUuid, credentialId: stage.credentialId, who })
  await finishRemoval(db, removalId)
  await finishRemoval(db, removalId)
  await deactivateMerchant(db, order)
  for (let twice = 0; twice < 2; twice++) await finishDeactivation(db, { kind: 'merchant', id: merchantUuid })
}
const PAST = { type: 'postingDate', date: new Date(Date.now() - 1_000) } as const
const NO_FACTS = {
  ...{
    money: null,
    providerName: null,
    alertDate: null,
    transactionId: null,
    arn: null,
    reasonCode: null,
    reason: null,
  },
  ...{ externalTransactionIdentifier: null, fraudType: null, cardScheme: null, paymentMethod: null, bin: null },
  cardLastFourDigits: null,
}

describe('before the merchant is deactivated', () => {
  test('the first load is quiet, and its end is told', async () => {
    const integrationId = await newIntegration()
    const cursor = await latest()
    const id = await addChargeback(stage.db, { ...at, integrationId })
    await note(id, 'ingested')
    const early = await read(cursor)
    await firstLoad(integrationId)
    await read(cursor)
    // The transaction of a chargeback of the first load is read after its end.
    await note(id, 'enriched', { cardScheme: 'visa' })
    await note(id, 'details changed')
    const all = await read(cursor)
    expect(types(all)).toEqual([
      ...['chargeback.created', 'integration.first_load_completed', 'chargeback.updated', 'chargeback.updated'],
    ])
    expect(early.map(({ quiet }) => quiet)).toEqual([true])
    expect(all.map(({ quiet }) => quiet)).toEqual([true, undefined, true, undefined])
  })

  test('what was loaded before the column existed is no first load', async () => {
    const integrationId = await newIntegration()
    await stage.db
      .updateTable('integration')
      .set({ last_successful_poll_at: new Date(Date.now() - 1_000) })
      .where('integration_id', '=', integrationId)
      .execute()
    const cursor = await latest()
    await note(await addChargeback(stage.db, { ...at, integrationId }), 'ingested')
    await firstLoad(integrationId)
    expect((await read(cursor)).map(({ type, quiet }) => [type, quiet])).toEqual([['chargeback.created', undefined]])
  })

  test('a due date is told twice, at the hours that the account set, and again when it moves', async () => {
    const id = await addChargeback(stage.db, at, { due_date: new Date('2031-01-10T00:00:00Z') })
    const sweep = (time: string) => remindOfDueDates(stage.db, new Date(time), 1_000)
    await sweep('2031-01-01T00:00:00Z')
    const cursor = await latest()
    await sweep('2031-01-06T23:00:00Z')
    for (const time of ['01:00', '02:00']) await sweep(`2031-01-07T${time}:00Z`)
    for (const time of ['01:00', '02:00']) await sweep(`2031-01-09T${time}:00Z`)
    await stage.db
      .updateTable('chargeback')
      .set({ due_date: new Date('2031-02-10T00:00:00Z') })
      .where('id', '=', id)
      .execute()
    await changeSettings(stage.db, stage.accountId, { reminderHours: 0, lastReminderHours: 48 })
    for (const time of ['07T01:00', '08T01:00', '09T01:00']) await sweep(`2031-02-${time}:00Z`)
    await changeSettings(stage.db, stage.accountId, { reminderHours: null, lastReminderHours: null })
    const own = (await read(cursor)).filter(({ data }) => data.chargeback.id === id)
    expect(own.map(({ type, data }) => [type, data.changes[0].after])).toEqual([
      ['chargeback.due_soon', { dueDate: '2031-01-10T00:00:00.000Z', hours: 72 }],
      ['chargeback.due_soon', { dueDate: '2031-01-10T00:00:00.000Z', hours: 24 }],
      ['chargeback.due_soon', { dueDate: '2031-02-10T00:00:00.000Z', hours: 48 }],
    ])
  })

  test('nobody is reminded of a chargeback that is being answered, or needs no answer', async () => {
    const due_date = new Date(Date.now() + 3_600_000)
    const ids = [
      await addChargeback(stage.db, at, { due_date, psp_status: 'under_review' }),
      await addChargeback(stage.db, at, { due_date, status: 'not_represented' }),
      await addChargeback(stage.db, at, { due_date }),
    ]
    await accept(ids[2] as string)
    const cursor = await latest()
    await remindOfDueDates(stage.db, new Date(), 1_000)
    const reminded = (await read(cursor)).map(({ data }) => data.chargeback.id)
    expect(reminded.filter((id) => ids.includes(id))).toEqual([])
  })

  test('free text in a timeline row is named and never told', async () => {
    const id = await addChargeback(stage.db, at)
    const acceptanceId = await accept(id)
    const cursor = await latest()
    await note(id, 'details changed', { cardScheme: 'visa', fields: ['reason'], invented: 'Jane Planted' })
    await note(id, 'acceptance failed', { acceptanceId, error: 'Jane Planted' })
    await note(id, 'status changed', { status: 'not_represented', reason: 'Nothing was charged back.' })
    const events = await read(cursor)
    expect(JSON.stringify(events)).not.toContain('Planted')
    expect(events.map(({ data }) => data.changes[0].after)).toEqual([
      { cardScheme: 'visa', fields: ['reason', 'invented'] },
      { acceptanceId, fields: ['error'] },
      { status: 'not_represented', reason: 'Nothing was charged back.' },
    ])
  })
})

describe('every event of the catalogue', () => {
  let cursor: string
  let events: Read[]
  beforeAll(async () => {
    cursor = await latest()
    await everything()
    events = await read(cursor)
  })

  test('is written by its writer, once', () => {
    expect([...new Set(types(events))].sort()).toEqual([...EVENT_TYPES].sort())
    for (const type of EVENT_TYPES.filter(
      (one) => !/^(chargeback\.(updated|due)|acceptance\.|integration\.deact)/.test(one),
    ))
      expect(types(events).filter((one) => one === type)).toEqual([type])
  })

  test.each(EVENT_TYPES)('%s has the form of its description, in full, thin, and in the example', async (type) => {
    const own = events.filter((one) => one.type === type)
    expect(own.length).toBeGreaterThan(0)
    for (const one of [...own, exampleEvent(type)]) expect(eventSchema(type).parse(one)).toEqual(one)
    const { merchantUuid } = at
    const page = await readEvents(stage.db, { merchantUuid, after: null, limit: 100, types: matchingTypes([type]) })
    const bodies = await renderEvents(stage.db, merchantUuid, page.events, 'thin')
    for (const body of bodies) {
      const thin = JSON.parse(body ?? '')
      expect(eventSchema(type).parse(thin)).toEqual(thin)
      const whole = Object.entries(thin.data).filter(([name]) => !name.endsWith('Id') && name !== 'merchantUuid')
      expect(whole.map(([name]) => name).filter((name) => name !== 'changes')).toEqual([])
    }
  })

  test('no person and no comment leaves', () => {
    expect(JSON.stringify(events)).not.toMatch(/Planted|planted/)
  })

  test('the object is the one that its GET shows', async () => {
    for (const { data } of events) {
      if (data.chargeback)
        expect(data.chargeback).toEqual((await stage.call('GET', `/v1/chargebacks/${data.chargeback.id}`)).body.data)
      if (data.integration)
        expect(data.integration).toEqual(
          (await stage.call('GET', `/v1/integrations/${data.integration.integrationId}`)).body,
        )
      if (data.acceptance)
        expect(data.acceptance).toEqual((await stage.call('GET', `/v1/chargebacks/${data.chargebackId}/accept`)).body)
    }
  })
})
