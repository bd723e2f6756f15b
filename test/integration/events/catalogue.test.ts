import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventSchema, exampleEvent } from '../../../api/routes/events/event-shape.ts'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { remindOfDueDates } from '../../../db/commands/deadline-sweeps.ts'
import { createRemoval, finishRemoval } from '../../../db/erasure/removals.ts'
import { readEvents } from '../../../db/events/log.ts'
import { recordVerdict } from '../../../db/integrations/connections.ts'
import {
  deactivateIntegration,
  deactivateMerchant,
  finishDeactivation,
} from '../../../db/integrations/deactivations.ts'
import { stopEndpoint } from '../../../db/webhooks/disabled.ts'
import { EVENT_TYPES, matchingTypes } from '../../../domain/events/catalogue.ts'
import { renderEvents } from '../../../webhooks/render.ts'
import { addChargeback, addEvidenceFile } from '../api/chargebacks/chargeback-rows.ts'
import { type Events, openEvents, type Read } from './events-fixture.ts'

let on: Events
beforeAll(async () => {
  on = await openEvents()
})
afterAll(() => on[Symbol.asyncDispose]())

const types = (events: Read[]) => events.map(({ type }) => type)

/** Makes each event of the catalogue happen, by its writer where that needs no PSP. */
async function everything(): Promise<void> {
  const { db, ring, merchantUuid } = on.stage
  const id = await addChargeback(db, on.at)
  await on.note(id, 'ingested', { pspStatus: 'needs_response' })
  for (const status of ['won', 'lost', 'split'])
    await on.note(id, 'pspStatus changed', { pspStatus: status }, { pspStatus: 'under_review' })
  await on.note(id, 'pspStatus changed', { pspStatus: 'needs_response' }, { pspStatus: 'lost' })
  await addChargeback(db, on.at, { due_date: new Date(Date.now() + 3_600_000) })
  await remindOfDueDates(db, new Date(), 10)
  await on.note(id, 'details changed', { cardScheme: 'visa' })

  const acceptanceId = await on.accept(id)
  await on.note(id, 'acceptance due soon and still open', { acceptanceId })
  await on.note(id, 'acceptance failed', { acceptanceId })
  const acceptance = await loadCommand(db, acceptanceId)
  if (acceptance) await endCommand(db, acceptance, { status: 'succeeded' }, 'stripe')

  const contested = await addChargeback(db, on.at)
  const fileId = await addEvidenceFile(on.stage, merchantUuid)
  const { body } = await on.stage.call('POST', `/v1/chargebacks/${contested}/evidence/submit`, { body: { fileId } })
  const submitEvidenceId = body.id
  await on.note(contested, 'evidence planned', { submitEvidenceId, dropped: [{ what: 'text', why: 'too long' }] })
  for (const end of ['due soon and still open', 'failed', 'succeeded'])
    await on.note(contested, `evidence submission ${end}`, { submitEvidenceId })

  const alertId = await storeAlert(db, on.at, { ...NO_FACTS, reference: 'A7P2XQ9M4K', psp: 'stripe' })
  await on.stage.call('POST', '/v1/pre-chargeback-alerts/alerts/outcome', {
    body: { alertId, providerName: 'Ethoca', outcome: 'stopped', comments: 'Jane Planted called' },
  })

  const integrationId = await on.newIntegration()
  await recordVerdict(db, integrationId, { status: 'FAILED', reason: 'The PSP refused the key.' })
  await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: 'acct_1' })
  await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount: 'acct_1' })
  await on.firstLoad(integrationId)
  await on.firstLoad(integrationId)
  const url = 'http://127.0.0.1:59999/hooks'
  const endpoint = await on.stage.call('POST', '/v1/webhook-endpoints', { body: { url, events: ['*'] } })
  const gone = { endpointId: endpoint.body.id, accountId: on.stage.accountId, merchantUuid }
  for (let twice = 0; twice < 2; twice++) await stopEndpoint(db, gone, 'gone')
  const order = { ...{ merchantUuid, credentialId: on.stage.credentialId, now: new Date() }, deactivation: PAST }
  await deactivateIntegration(db, { ...order, integrationId })
  const who = { email: 'jane@planted.example', firstName: 'Jane', lastName: 'Planted' }
  const { removalId } = await createRemoval(db, ring, { merchantUuid, credentialId: on.stage.credentialId, who })
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

describe('every event of the catalogue', () => {
  let cursor: string
  let events: Read[]
  beforeAll(async () => {
    cursor = await on.latest()
    await everything()
    events = await on.read(cursor)
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
    const { merchantUuid } = on.at
    const page = await readEvents(on.stage.db, { merchantUuid, after: null, limit: 100, types: matchingTypes([type]) })
    const bodies = await renderEvents(on.stage.db, merchantUuid, page.events, 'thin')
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
        expect(data.chargeback).toEqual((await on.stage.call('GET', `/v1/chargebacks/${data.chargeback.id}`)).body.data)
      if (data.integration)
        expect(data.integration).toEqual(
          (await on.stage.call('GET', `/v1/integrations/${data.integration.integrationId}`)).body,
        )
      if (data.acceptance)
        expect(data.acceptance).toEqual(
          (await on.stage.call('GET', `/v1/chargebacks/${data.chargebackId}/accept`)).body,
        )
    }
  })
})
