import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { addChargeback, addEvidenceFile, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let at: { merchantUuid: string; integrationId: string }
let fileId: string
let otherFileId: string
beforeAll(async () => {
  stage = await createStage()
  const { db, ring, merchantUuid } = stage
  at = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) }
  fileId = await addEvidenceFile(stage, merchantUuid)
  otherFileId = await addEvidenceFile(stage, merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** The columns of an erased file. */
const ERASED = { erased_at: new Date(), content_sealed: null, name_sealed: null, metadata_sealed: null, md5: null }

const submit = (id: string, body: unknown = { fileId }, options = {}) =>
  stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body, ...options })
const read = (id: string, submission: string, options = {}) =>
  stage.call('GET', `/v1/chargebacks/${id}/evidence/submit/${submission}`, options)
const accept = (id: string) => stage.call('POST', `/v1/chargebacks/${id}/accept`)
const commands = (id: string) =>
  stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).orderBy('requested_at').execute()
const setCommand = (id: string, values: object) =>
  stage.db.updateTable('command').set(values).where('chargeback_id', '=', id).execute()

describe('POST /chargebacks/{id}/evidence/submit', () => {
  it('stores the command, its file, its timeline event and its outbox message together, then dispatches', async () => {
    const id = await addChargeback(stage.db, at)
    const response = await submit(id)
    expect(response).toMatchObject({ status: 201, body: { status: 201, message: 'Evidence submission requested' } })
    const [command] = await commands(id)
    expect(command).toMatchObject({ kind: 'evidence_submission', status: 'created', command_id: response.body.id })
    const events = await stage.db.selectFrom('timeline_event').selectAll().where('chargeback_id', '=', id).execute()
    expect(events).toMatchObject([
      { what: 'evidence submission requested', after: { submitEvidenceId: response.body.id, fileId } },
    ])
    const messages = await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'submit_evidence').execute()
    const message = messages.find((one) => JSON.stringify(one.payload).includes(response.body.id))
    expect(stage.dispatched).toContain(message?.outbox_id)
  })

  it.each(['created', 'inProgress', 'succeeded'])(
    'returns the same submission for the same file while it is %s',
    async (state) => {
      const id = await addChargeback(stage.db, at)
      const first = await submit(id)
      await setCommand(id, { status: state })
      await stage.db.updateTable('chargeback').set({ psp_status: 'under_review' }).where('id', '=', id).execute()
      expect(await submit(id)).toMatchObject({ status: 201, body: { id: first.body.id } })
      expect(await submit(id, { fileId: fileId.toUpperCase() })).toMatchObject({ body: { id: first.body.id } })
      expect(await commands(id)).toHaveLength(1)
    },
  )

  it.each(['created', 'inProgress', 'succeeded'])('refuses another file while one is %s', async (state) => {
    const id = await addChargeback(stage.db, at)
    await submit(id)
    await setCommand(id, { status: state })
    expect(await submit(id, { fileId: otherFileId })).toMatchObject({
      status: 400,
      body: { code: 'other_file_submitted' },
    })
    expect(await commands(id)).toHaveLength(1)
  })

  it.each(['the same file', 'another file'])('starts a new submission with %s after a failed one', async (which) => {
    const id = await addChargeback(stage.db, at)
    const first = await submit(id)
    await setCommand(id, { status: 'failed' })
    const second = await submit(id, { fileId: which === 'the same file' ? fileId : otherFileId })
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(first.body.id)
    expect((await commands(id)).map((command) => command.status)).toEqual(['failed', 'created'])
  })

  it('starts a new submission in a new round', async () => {
    const id = await addChargeback(stage.db, at)
    const first = await submit(id)
    await setCommand(id, { status: 'succeeded' })
    await stage.db.updateTable('chargeback').set({ round: 2 }).where('id', '=', id).execute()
    expect((await submit(id)).body.id).not.toBe(first.body.id)
  })

  it('creates one submission for many concurrent requests with the same file', async () => {
    const id = await addChargeback(stage.db, at)
    const responses = await Promise.all(Array.from({ length: 12 }, () => submit(id)))
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
    expect(await commands(id)).toHaveLength(1)
  })

  it('lets one win when an acceptance and submissions of two files race', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await addChargeback(stage.db, at)
      const responses = await Promise.all([submit(id), accept(id), submit(id, { fileId: otherFileId }), accept(id)])
      const [command, ...more] = await commands(id)
      expect(more).toEqual([])
      const refused = responses.filter(({ status }) => status === 400).map(({ body }) => body.code)
      const codes =
        command?.kind === 'acceptance'
          ? ['acceptance_exists', 'acceptance_exists']
          : ['evidence_submission_exists', 'evidence_submission_exists', 'other_file_submitted']
      expect(refused.sort()).toEqual(codes)
    }
  })

  it('refuses an acceptance and a submission in one round in the database, too', async () => {
    const id = await addChargeback(stage.db, at)
    await submit(id)
    const [{ command_id, ...command } = { command_id: '' }] = await commands(id)
    const twin = { ...command, kind: 'acceptance', command_id: command_id.replace(/^./, 'f') }
    await expect(
      stage.db
        .insertInto('command')
        .values(twin as never)
        .execute(),
    ).rejects.toThrow(/command_one_per_round/)
  })

  it.each(['created', 'inProgress', 'succeeded'])(
    'refuses with acceptance_exists while an acceptance is %s',
    async (state) => {
      const id = await addChargeback(stage.db, at)
      await accept(id)
      await setCommand(id, { status: state })
      expect(await submit(id)).toMatchObject({ status: 400, body: { code: 'acceptance_exists' } })
    },
  )

  it.each([
    ['not_open', { psp_status: 'won' }],
    ['not_open', { psp_status: 'under_review' }],
    ['not_open', { psp_status: 'unknown' }],
    ['overdue', { due_date: new Date(Date.now() - 1000) }],
    ['evidence_not_supported', { lifecycle_stage: 'alert' }],
  ])('refuses with %s for %o', async (code, values) => {
    const id = await addChargeback(stage.db, at, values)
    expect(await submit(id)).toMatchObject({ status: 400, body: { code } })
    expect(await commands(id)).toEqual([])
  })

  it.each(['PENDING', 'FAILED', 'INACTIVE'])('refuses while the integration is %s', async (state) => {
    const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
    const id = await addChargeback(stage.db, { ...at, integrationId })
    await stage.db
      .updateTable('integration')
      .set({ status: state })
      .where('integration_id', '=', integrationId)
      .execute()
    expect(await submit(id)).toMatchObject({ status: 400, body: { code: 'integration_not_usable' } })
  })

  it('refuses with evidence_not_supported if the PSP does not support it', async () => {
    const id = await addChargeback(stage.db, at)
    const { adapters } = stage.deps
    const app = stage.secondApp({
      adapters: {
        ...adapters,
        adapterFor: (...of) => {
          const found = adapters.adapterFor(...of)
          return found && { ...found, capabilities: { ...found.capabilities, contest: false } }
        },
      },
    })
    const response = await stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } }, app)
    expect(response).toMatchObject({ status: 400, body: { code: 'evidence_not_supported' } })
  })

  it.each(['not-an-id', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10', '%00'])(
    'returns 404 for the chargeback %s',
    async (id) => {
      expect(await submit(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
    },
  )

  it('returns the same 404 for a file that is missing, erased or another merchant’s', async () => {
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const erased = await addEvidenceFile(stage, stage.merchantUuid)
    await stage.db.updateTable('file').set(ERASED).where('file_id', '=', erased).execute()
    const foreign = await addEvidenceFile(stage, merchantUuid)
    const id = await addChargeback(stage.db, at)
    for (const fileId of [foreign, erased, '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10', 'no-id', '\0'])
      expect(await submit(id, { fileId })).toMatchObject({ status: 404, body: { code: 'file_not_found' } })
    expect(await commands(id)).toEqual([])
  })

  it.each([{}, { fileId: null }, { fileId: 7 }, { fileId: '' }, { fileId: 'x', note: 'y' }])(
    'returns 400 for the body %o',
    async (body) => {
      const id = await addChargeback(stage.db, at)
      expect(await submit(id, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    },
  )

  it('returns 404 for a chargeback of another merchant, in both operations', async () => {
    const id = await addChargeback(stage.db, at)
    const { body } = await submit(id)
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    const { merchantUuid } = await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
    const missing = { status: 404, body: { code: 'chargeback_not_found' } }
    expect(await submit(id, { fileId }, { token })).toMatchObject(missing)
    expect(await read(id, body.id, { token })).toMatchObject(missing)
  })

  it('returns the same response for a repeated Idempotency-Key, even after the submission failed', async () => {
    const id = await addChargeback(stage.db, at)
    const headers = { 'idempotency-key': `submit-${id}` }
    const first = await submit(id, { fileId }, { headers })
    await setCommand(id, { status: 'failed' })
    expect((await submit(id, { fileId }, { headers })).body).toEqual(first.body)
    expect(await commands(id)).toHaveLength(1)
  })
})
