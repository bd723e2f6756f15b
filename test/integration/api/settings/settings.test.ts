import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { storePlaybook } from '../../../../db/evidence/evidence-playbooks.ts'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { buildDraft } from '../../../interface/resources.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import type { Stage } from '../stage.ts'

let stage: Stage
let at: Place
let others: { merchantUuid: string; token: string }
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  const { merchantUuid } = await stage.newMerchant(stage.accountId, 'other-shop')
  const { accountId } = stage
  const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid })
  others = { merchantUuid, token }
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  await save({})
  await changeSettings(stage.db, stage.accountId, { automaticSubmission: null })
})

const read = async (options = {}) => (await stage.call('GET', '/v1/settings', options)).body.data
const save = (automaticSubmission: object, options = {}) =>
  stage.call('PATCH', '/v1/settings', { body: { automaticSubmission }, ...options })
const preview = (automaticSubmission: object, options = {}) =>
  stage.call('POST', '/v1/settings/preview', { body: { automaticSubmission }, ...options })

describe('GET and PATCH /settings', () => {
  it('has defaults, and the account’s where the merchant has nothing of its own', async () => {
    expect(await read()).toEqual({
      automaticSubmission: { mode: 'manual', hoursBeforeDue: 48, minCompleteness: 0.7, minAmount: {} },
      ownAutomaticSubmission: {},
      ...{ represent: true, enrichmentThreshold: 0.8, dataWindowHours: 72 },
    })
    const ofAccount = { mode: 'auto', minAmount: { EUR: 20 }, plays: ['not_received'] }
    await changeSettings(stage.db, stage.accountId, { automaticSubmission: ofAccount })
    expect((await save({ minCompleteness: 0.9 })).body.data).toMatchObject({
      automaticSubmission: { ...ofAccount, hoursBeforeDue: 48, minCompleteness: 0.9 },
      ownAutomaticSubmission: { minCompleteness: 0.9 },
    })
    expect((await read({ token: others.token })).ownAutomaticSubmission).toEqual({})
    // The own part is replaced as a whole.
    expect((await save({ mode: 'manual' })).body.data.ownAutomaticSubmission).toEqual({ mode: 'manual' })
    expect((await save({})).body.data).toMatchObject({ automaticSubmission: ofAccount, ownAutomaticSubmission: {} })
  })

  it.each([
    [{ mode: 'sometimes' }, 'mode'],
    [{ hoursBeforeDue: 29 }, 'hoursBeforeDue'],
    [{ minCompleteness: 1.1 }, 'minCompleteness'],
    [{ minAmount: { euro: 1 } }, 'minAmount'],
    [{ plays: [] }, 'plays'],
    [{ more: 1 }, 'more'],
  ])('refuses %j', async (given, name) => {
    for (const ask of [save, preview]) {
      const { status, body } = await ask(given)
      expect([status, body.code]).toEqual([400, 'validation_failed'])
      expect(body.message).toContain(`automaticSubmission.${name}`)
    }
  })

  it('refuses a policy that submits before evidence is built, and changes nothing', async () => {
    for (const ask of [save, preview])
      expect(await ask({ mode: 'auto', hoursBeforeDue: 67 })).toMatchObject({
        status: 400,
        body: { code: 'policy_impossible' },
      })
    expect((await read()).ownAutomaticSubmission).toEqual({})
  })

  it('is for the role manage', async () => {
    const { accountId, merchantUuid } = stage
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid, role: 'work' })
    for (const ask of [save, preview]) expect(await ask({ mode: 'auto' }, { token })).toMatchObject({ status: 403 })
    expect((await stage.call('GET', '/v1/settings', { token })).status).toBe(200)
  })
})

describe('POST /settings/preview', () => {
  it('counts what the draft of each chargeback says under that policy', async () => {
    const { db, ring } = stage
    const ready = await addChargeback(db, at, { amount_minor: 2_000n })
    await buildDraft(db, ring, ready)
    const held = await addChargeback(db, at)
    await buildDraft(db, ring, held)
    await stage.call('PATCH', `/v1/chargebacks/${held}/evidence/draft`, { body: { automatic: false } })
    await addChargeback(db, at)
    await addChargeback(db, at, { psp_status: 'won' })
    await addChargeback(db, at, { due_date: null })
    const foreign = { ...others, integrationId: await addIntegration(db, ring, others.merchantUuid) }
    await addChargeback(db, foreign)

    const { data } = (await preview({ mode: 'auto' })).body
    await save({ mode: 'auto' })
    const blockedBy = async (id: string) =>
      (await stage.call('GET', `/v1/chargebacks/${id}/evidence/draft`)).body.automatic.blockedBy
    expect(await blockedBy(ready)).toEqual([])
    expect((await blockedBy(held))[0]).toBe('held')
    expect(data).toEqual({
      submits: { count: 1, amounts: [{ currency: 'USD', amount: '20' }], nextAt: expect.stringMatching(/Z$/) },
      blocked: [
        { code: 'held', count: 1, amounts: [{ currency: 'USD', amount: '10.99' }] },
        { code: 'not_building', count: 1, amounts: [{ currency: 'USD', amount: '10.99' }] },
      ],
      complete: true,
    })
    expect((await preview({ mode: 'manual' })).body.data).toMatchObject({
      submits: { count: 0 },
      blocked: [{ code: 'policy_manual', count: 3 }],
    })
  })
})

test('GET /playbooks has Recoup’s sentences, and the account’s in their places', async () => {
  const list = async (options = {}) => (await stage.call('GET', '/v1/playbooks', options)).body.data
  const before = await list()
  expect(before.length).toBeGreaterThan(10)
  const own = before.find(({ play }: { play: string }) => play === 'not_received')
  expect(own).toMatchObject({ version: expect.any(Number), manualOnly: false })
  expect(own.sentences.every(({ from }: { from: string }) => from === 'default')).toBe(true)
  const [first] = own.sentences
  const body = { statements: [{ id: first.id, text: 'We delivered it.', weight: 3 }] }
  await storePlaybook(stage.db, { accountId: stage.accountId, play: 'not_received', body, createdBy: 'olga' })
  const after = (await list()).find(({ play }: { play: string }) => play === 'not_received')
  expect(after).toMatchObject({ override: 1, overriddenAt: expect.stringMatching(/Z$/) })
  expect(after.sentences[0]).toMatchObject({ id: first.id, text: 'We delivered it.', from: 'account' })
  expect(JSON.stringify(after)).not.toContain('olga')
})
