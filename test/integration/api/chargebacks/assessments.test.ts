import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CANDIDATES } from '../../../../domain/assessment/compelling-evidence.ts'
import { TRANSACTION_FIELDS } from '../../../../domain/transaction-record.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const assess = (id: string) => stage.call('GET', `/v1/chargebacks/${id}/assessment`)
const assessed = async (id: string) => (await assess(id)).body.data
const read = async (id: string) => (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data
const post = (body: object) => stage.call('POST', '/v1/transactions', { body })
const patch = (id: string, body: object) => stage.call('PATCH', `/v1/chargebacks/${id}`, { body })

const postingDate = new Date('2026-06-30T00:00:00Z')
const fraud = { card_scheme: 'visa', reason_code: '10.4', card_last_four_digits: '4242', posting_date: postingDate }
const customer = { transactionOrderIpAddress: '203.0.113.9', transactionOrderEmail: 'buyer@example.com' }
const purchase = (transactionId: string, more: object = {}) =>
  post({
    transactionId,
    transactionCardLastFourDigits: '4242',
    transactionCreatedDate: new Date(postingDate.getTime() - 200 * 86_400_000).toISOString(),
    ...customer,
    ...more,
  })

describe('GET /chargebacks/{id}/assessment', () => {
  it('shows the win probability and recommendation of the chargeback, with reasons that add up', async () => {
    const id = await addChargeback(stage.db, at, { reason_code: '10.5', card_scheme: 'visa', amount_minor: 50_000n })
    await patch(id, { ...customer, signedDelivery: true })
    const chargeback = await read(id)
    const { status, body } = await assess(id)
    expect({ status, envelope: body.status, message: body.message }).toEqual({
      status: 200,
      envelope: 200,
      message: 'Assessment retrieved',
    })
    const { data } = body
    expect(data).toMatchObject({ winProbability: chargeback.winProbability, recommendation: 'Fight' })
    const sum = data.reasons.reduce((all: number, { effect }: { effect: number }) => all + effect, 0)
    expect(sum).toBeCloseTo(chargeback.winProbability, 5)
    expect(data.reasons.map(({ name }: { name: string }) => name)).toEqual([
      'reason_group:fraud',
      'data_points',
      'signed_delivery',
    ])
    expect(data.missingDataPoints.slice(0, 2)).toEqual(['transactionOrderDeviceId', 'transactionOrderSteamId'])
    expect(data.missingDataPoints).not.toContain('transactionOrderEmail')
    expect(data.compellingEvidence).toMatchObject({ applies: false, eligible: false })
    expect(data.scope).toEqual({ inScope: true, by: 'contract', why: expect.stringContaining('contract') })
    expect(data.deadline).toMatchObject({ state: 'open', dueDate: chargeback.dueDate, why: expect.any(String) })
    expect(data.handling).toMatchObject({ status: 'waiting_for_data', why: expect.stringContaining('data') })
  })

  it('lists missing data points by the names under which a client can send them', async () => {
    const facts = ['bin', 'cardLastFourDigits', 'billingCountry', 'arn']
    for (const group of ['fraud', 'authorization', 'processing_error', 'consumer_dispute', 'compliance', 'general']) {
      const [joined, alone] = [`tx_${group}`, null]
      for (const transaction of [joined, alone]) {
        const id = await addChargeback(stage.db, at, { reason_group: group, transaction_id: transaction })
        const missing: string[] = (await assessed(id)).missingDataPoints
        expect(missing.filter((name) => facts.includes(name))).toEqual([])
        expect(missing.includes('transactionCreatedDate')).toBe(transaction !== null)
        const values: Record<string, string> = {
          transactionCreatedDate: '2026-01-01T00:00:00Z',
          transactionOrderIpAddress: '203.0.113.9',
          transactionCardBin: '424242',
          transactionCardLastFourDigits: '4242',
        }
        const given = Object.fromEntries(
          missing.map((name) => [name, values[name] ?? (name.endsWith('Email') ? 'a@b.cd' : 'given')]),
        )
        const isRecord = ([name]: [string, string]) => TRANSACTION_FIELDS.some((field) => field === name)
        const split = (inRecord: boolean) =>
          Object.fromEntries(
            Object.entries(given).filter((one) => (transaction !== null && isRecord(one)) === inRecord),
          )
        if (transaction) {
          const record = { transactionId: transaction, ...split(true) }
          const sent = await stage.call('POST', '/v1/transactions', { body: record })
          expect(sent.status, sent.text).toBe(201)
        }
        const sent = await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: split(false) })
        expect(sent.status, sent.text).toBe(201)
        expect((await assessed(id)).missingDataPoints).toEqual([])
        if (transaction) expect((await read(id)).enrichmentRatio).toBe(1)
      }
    }
  })

  it('finds Visa compelling evidence in earlier purchases and weighs it, or lists what is missing', async () => {
    const id = await addChargeback(stage.db, at, { ...fraud, transaction_id: 'ce_disputed' })
    expect((await assessed(id)).compellingEvidence).toMatchObject({
      applies: true,
      eligible: false,
      missing: [expect.stringContaining('A record of the disputed transaction')],
    })
    await purchase('ce_disputed', { transactionCreatedDate: postingDate.toISOString() })
    expect((await assessed(id)).compellingEvidence.missing).toEqual([expect.stringMatching(/^2 more undisputed/)])
    await purchase('ce_first')
    await purchase('ce_stranger', { transactionOrderIpAddress: '198.51.100.1' })
    expect((await assessed(id)).compellingEvidence).toMatchObject({ eligible: false })
    const before = await read(id)
    await purchase('ce_second')
    const after = await assessed(id)
    expect(after.compellingEvidence).toMatchObject({
      eligible: true,
      matched: Object.keys(customer),
      transactionIds: ['ce_first', 'ce_second'],
      missing: [],
    })
    expect(after.winProbability).toBeGreaterThan(before.winProbability + 10)
    expect((await read(id)).winProbability).toBe(after.winProbability)
    expect(after.reasons.map(({ name }: { name: string }) => name)).toContain('compelling_evidence')
    // An issuer's fraud warning disqualifies one of the two purchases.
    await purchase('ce_second', { transactionEarlyFraudWarningFraudType: 'made_with_stolen_card' })
    expect((await read(id)).winProbability).toBe(before.winProbability)
  })

  it('does not count an earlier purchase that is disputed itself', async () => {
    const card = { transactionCardLastFourDigits: '1881' }
    const id = await addChargeback(stage.db, at, { ...fraud, card_last_four_digits: '1881', transaction_id: 'd_0' })
    await addChargeback(stage.db, at, { transaction_id: 'd_1' })
    for (const transactionId of ['d_0', 'd_1', 'd_2']) await purchase(transactionId, card)
    expect((await assessed(id)).compellingEvidence).toMatchObject({
      eligible: false,
      missing: [expect.stringMatching(/^1 more undisputed/)],
    })
  })

  it('finds the customer among many cards with the same last four digits', async () => {
    const card = { transactionCardLastFourDigits: '1771', transactionCardBin: '424242' }
    const id = await addChargeback(stage.db, at, { ...fraud, card_last_four_digits: '1771', transaction_id: 'many_0' })
    for (const transactionId of ['many_0', 'many_1', 'many_2']) await purchase(transactionId, card)
    // Newer purchases, more than are checked.
    const soon = new Date(postingDate.getTime() - 130 * 86_400_000).toISOString()
    const stranger = { ...card, transactionCardBin: '55555555', transactionCreatedDate: soon }
    await Promise.all(Array.from({ length: CANDIDATES }, (_, n) => purchase(`stranger_${n}`, stranger)))
    expect((await assessed(id)).compellingEvidence).toMatchObject({ transactionIds: ['many_1', 'many_2'] })
  })

  it('withdraws compelling evidence when a card number is corrected', async () => {
    const card = { transactionCardLastFourDigits: '1661' }
    const id = await addChargeback(stage.db, at, { ...fraud, card_last_four_digits: '1661', transaction_id: 'w_0' })
    for (const transactionId of ['w_0', 'w_1', 'w_2']) await purchase(transactionId, card)
    const proven = (await read(id)).winProbability
    await purchase('w_2', { transactionCardLastFourDigits: '1662' })
    expect((await read(id)).winProbability).toBeLessThan(proven)
  })

  it('counts only the merchant’s own closed cases of the reason group', async () => {
    const own = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({
      accountId: stage.accountId,
      scope: 'merchant',
      merchantUuid: own.merchantUuid,
    })
    const integrationId = await addIntegration(stage.db, stage.ring, own.merchantUuid)
    const mine = { merchantUuid: own.merchantUuid, integrationId }
    const closed = { status: 'pending_psp_results', answered: true, reason_group: 'general' }
    const probability = async () => {
      const id = await addChargeback(stage.db, mine, { reason_group: 'general' })
      await stage.call('PATCH', `/v1/chargebacks/${id}`, { token, body: { note: 1 } })
      return (await stage.call('GET', `/v1/chargebacks/${id}/assessment`, { token })).body.data
    }
    const without = await probability()
    // Another reason group, another merchant, and a loss without a response don't count.
    await addChargeback(stage.db, mine, { ...closed, reason_group: 'fraud', psp_status: 'won' })
    await addChargeback(stage.db, at, { ...closed, psp_status: 'won' })
    await addChargeback(stage.db, mine, { ...closed, answered: false, psp_status: 'lost' })
    expect((await probability()).winProbability).toBe(without.winProbability)
    for (let n = 0; n < 20; n++)
      await addChargeback(stage.db, mine, { ...closed, psp_status: n < 15 ? 'won' : 'split' })
    const withCases = await probability()
    // 20 own cases weigh as much as the model: halfway between it and 17.5 of 20.
    expect(withCases.winProbability).toBeCloseTo((without.winProbability + 87.5) / 2, 0)
    expect(withCases.reasons.at(-1)).toMatchObject({ name: 'own_closed_cases', effect: expect.any(Number) })
  })

  it('does not change the win probability after evidence was submitted', async () => {
    const id = await addChargeback(stage.db, at, {
      psp_status: 'under_review',
      status: 'pending_psp_results',
      win_probability: '61.5',
      roi_recommendation: 'Fight',
    })
    expect(await assessed(id)).toMatchObject({
      winProbability: 61.5,
      recommendation: 'Fight',
      why: 'As it was when evidence was submitted.',
      reasons: [],
      deadline: { state: 'none' },
    })
  })

  it('shows no win probability for a chargeback that is not handled, and says why', async () => {
    const id = await addChargeback(stage.db, at, { status: 'not_represented', status_reason: 'The due date passed.' })
    const data = await assessed(id)
    expect(data).not.toHaveProperty('winProbability')
    expect(data.why).toBe('There is no chance to tell. The due date passed.')
  })

  it('names the rule or decision that puts it in or out of scope', async () => {
    const rule = { by: 'scope_rule', inScope: false, version: 3, dimension: 'cardSchemes', value: 'amex' }
    const id = await addChargeback(stage.db, at, { scope_decision: JSON.stringify(rule) })
    expect((await assessed(id)).scope).toEqual({ ...rule, why: expect.stringContaining('version 3') })
    const fought = await addChargeback(stage.db, at, {
      scope_decision: JSON.stringify({ by: 'should_fight', inScope: true }),
    })
    expect((await assessed(fought)).scope).toMatchObject({ inScope: true, by: 'should_fight' })
  })

  it.each([
    [1, 'data_window_closed'],
    [-1, 'overdue'],
  ])('%i h before the due date the deadline is %s', async (hours, state) => {
    const id = await addChargeback(stage.db, at, { due_date: new Date(Date.now() + hours * 3_600_000) })
    expect((await assessed(id)).deadline).toMatchObject({ state })
  })

  it('returns 404 for an id that is malformed, missing or another merchant’s', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const foreign = await addChargeback(stage.db, { ...other, integrationId })
    for (const id of ['nonsense', randomUUID(), foreign])
      expect(await assess(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })
})
