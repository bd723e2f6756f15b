import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { type Stage, withoutAcceptance } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const accept = (id: string, options = {}) => stage.call('POST', `/v1/chargebacks/${id}/accept`, options)
const read = (id: string, options = {}) => stage.call('GET', `/v1/chargebacks/${id}/accept`, options)
const commands = (id: string) =>
  stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).orderBy('requested_at').execute()

describe('POST /chargebacks/{id}/accept', () => {
  it('stores the command, its timeline event and its outbox message together, then dispatches', async () => {
    const id = await addChargeback(stage.db, at)
    const response = await accept(id)
    expect(response).toMatchObject({ status: 200, body: { status: 200, message: 'Acceptance requested', id } })
    const [command] = await commands(id)
    expect(command).toMatchObject({
      kind: 'acceptance',
      status: 'created',
      credential_id: stage.credentialId,
      round: 1,
    })
    expect((command?.deadline.getTime() ?? 0) - (command?.requested_at.getTime() ?? 0)).toBe(24 * 3600 * 1000)
    const events = await stage.db.selectFrom('timeline_event').selectAll().where('chargeback_id', '=', id).execute()
    expect(events).toMatchObject([{ what: 'acceptance requested', merchant_uuid: stage.merchantUuid }])
    const messages = await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'accept_chargeback').execute()
    const message = messages.find((one) => JSON.stringify(one.payload).includes(command?.command_id ?? '-'))
    expect(message).toBeDefined()
    expect(stage.dispatched).toContain(message?.outbox_id)
  })

  it.each(['created', 'inProgress', 'succeeded'])('starts nothing while an acceptance is %s', async (status) => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    await stage.db.updateTable('command').set({ status }).where('chargeback_id', '=', id).execute()
    await stage.db.updateTable('chargeback').set({ psp_status: 'lost' }).where('id', '=', id).execute()
    expect(await accept(id)).toMatchObject({ status: 200, body: { id } })
    expect(await commands(id)).toHaveLength(1)
  })

  it('starts a new attempt after a failed one', async () => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    await stage.db.updateTable('command').set({ status: 'failed' }).where('chargeback_id', '=', id).execute()
    expect((await accept(id)).status).toBe(200)
    expect((await commands(id)).map((command) => command.status)).toEqual(['failed', 'created'])
  })

  it('creates one acceptance for many concurrent requests', async () => {
    const id = await addChargeback(stage.db, at)
    const responses = await Promise.all(Array.from({ length: 12 }, () => accept(id)))
    expect(responses.map((response) => response.status)).toEqual(Array(12).fill(200))
    expect(await commands(id)).toHaveLength(1)
  })

  it.each([
    ['not_open', { psp_status: 'won' }],
    ['not_open', { psp_status: 'under_review' }],
    ['overdue', { due_date: new Date(Date.now() - 1000) }],
    ['acceptance_not_supported', { lifecycle_stage: 'third_chargeback' }],
  ])('refuses with %s for %o', async (code, values) => {
    const id = await addChargeback(stage.db, at, values)
    expect(await accept(id)).toMatchObject({ status: 400, body: { code } })
    expect(await commands(id)).toEqual([])
  })

  it('refuses with integration_not_usable when the integration is not verified', async () => {
    const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
    const id = await addChargeback(stage.db, { merchantUuid: stage.merchantUuid, integrationId })
    await stage.db
      .updateTable('integration')
      .set({ status: 'FAILED' })
      .where('integration_id', '=', integrationId)
      .execute()
    expect(await accept(id)).toMatchObject({ status: 400, body: { code: 'integration_not_usable' } })
  })

  it('refuses with evidence_submission_exists while a submission is open', async () => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    await stage.db.updateTable('command').set({ kind: 'evidence_submission' }).where('chargeback_id', '=', id).execute()
    expect(await accept(id)).toMatchObject({ status: 400, body: { code: 'evidence_submission_exists' } })
  })

  it('refuses with acceptance_not_supported if the PSP does not support it', async () => {
    const id = await addChargeback(stage.db, at)
    const { adapters } = stage.deps
    const app = stage.secondApp({
      adapters: { ...adapters, adapterFor: (...of) => withoutAcceptance(adapters.adapterFor(...of)) },
    })
    const response = await stage.call('POST', `/v1/chargebacks/${id}/accept`, {}, app)
    expect(response).toMatchObject({ status: 400, body: { code: 'acceptance_not_supported' } })
  })

  it.each(['not-an-id', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10', '%00'])('returns 404 for %s', async (id) => {
    expect(await accept(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })

  it('returns 404 for a chargeback of another merchant, in both operations', async () => {
    const id = await addChargeback(stage.db, at)
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    const { merchantUuid } = await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
    const missing = { status: 404, body: { code: 'chargeback_not_found' } }
    expect(await accept(id, { token })).toMatchObject(missing)
    expect(await commands(id)).toEqual([])
    await accept(id)
    expect(await read(id, { token })).toMatchObject(missing)
  })
})

describe('GET /chargebacks/{id}/accept', () => {
  it('returns 404 before an acceptance is requested', async () => {
    const id = await addChargeback(stage.db, at)
    expect(await read(id)).toMatchObject({ status: 404, body: { code: 'acceptance_not_found' } })
  })

  it('shows the time of the request until the acceptance succeeds, then the time of completion', async () => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    const [command] = await commands(id)
    const requested = command?.requested_at.toISOString()
    expect((await read(id)).body).toEqual({
      id,
      referenceAccountId: stage.referenceId,
      status: 'created',
      acceptedAt: requested,
    })
    const completed_at = new Date('2030-01-01T00:00:00Z')
    await stage.db
      .updateTable('command')
      .set({ status: 'succeeded', completed_at })
      .where('chargeback_id', '=', id)
      .execute()
    expect((await read(id)).body).toMatchObject({ status: 'succeeded', acceptedAt: completed_at.toISOString() })
  })

  it('shows the error of the latest attempt', async () => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    const error = 'The PSP closed the dispute meanwhile.'
    await stage.db.updateTable('command').set({ status: 'failed', error }).where('chargeback_id', '=', id).execute()
    expect((await read(id)).body).toMatchObject({ status: 'failed', error })
    await accept(id)
    const { body } = await read(id)
    expect(body.status).toBe('created')
    expect(body).not.toHaveProperty('error')
  })

  it('returns 304 if the client has the current version', async () => {
    const id = await addChargeback(stage.db, at)
    await accept(id)
    const etag = (await read(id)).headers.get('etag') ?? ''
    for (const known of [etag, '*', `W/${etag}`, `"other", W/${etag}`, `"other",${etag}`]) {
      const response = await read(id, { headers: { 'if-none-match': known } })
      expect(response, known).toMatchObject({ status: 304, text: '' })
      expect(response.headers.get('etag')).toBe(etag)
    }
    for (const known of ['"other"', 'W/"other"', etag.replaceAll('"', ''), '"*"'])
      expect((await read(id, { headers: { 'if-none-match': known } })).status, known).toBe(200)
    await stage.db.updateTable('command').set({ version: 2n }).where('chargeback_id', '=', id).execute()
    expect((await read(id, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })
})
