import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createStage, type Stage } from '../stage.ts'
import { addChargeback, addIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: { merchantUuid: string; integrationId: string }
let ids: string[]

beforeAll(async () => {
  stage = await createStage()
  at = {
    merchantUuid: stage.merchantUuid,
    integrationId: await addIntegration(stage.db, stage.ring, stage.merchantUuid),
  }
  ids = await Promise.all(
    ['needs_response', 'won', 'lost'].map((psp_status) => addChargeback(stage.db, at, { psp_status })),
  )
})
afterAll(() => stage[Symbol.asyncDispose]())

const list = (query = '', options = {}) => stage.call('GET', `/v1/chargebacks${query}`, options)

describe('GET /chargebacks/{id}', () => {
  const read = (id: string, options = {}) => stage.call('GET', `/v1/chargebacks/${id}`, options)

  it('agrees with the list in every field', async () => {
    const { body } = await list('?limit=100')
    for (const item of body.data) expect((await read(item.id)).body.data).toEqual(item)
  })

  it('returns 304 until something visible to clients changes', async () => {
    const id = await addChargeback(stage.db, at)
    const first = await read(id)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const known = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } }
    const change = (values: object) => stage.db.updateTable('chargeback').set(values).where('id', '=', id).execute()
    await change({ version: 2n, read_at: new Date() })
    expect(await read(id, known)).toMatchObject({ status: 304, text: '' })
    await change({ reason: 'another' })
    const changed = await read(id, known)
    expect(changed).toMatchObject({ status: 200, body: { data: { reason: 'another' } } })
    expect(changed.headers.get('etag')).not.toBe(first.headers.get('etag'))
  })

  it('agrees with the stored row, for any characters and amounts', async () => {
    const full = {
      amount_minor: 123456789012n,
      amount_exponent: 3,
      currency: 'KWD',
      transaction_created_date: new Date('2025-12-31T23:59:59.999Z'),
      psp_status_change_date: new Date('2026-01-02T03:04:05.006Z'),
      transaction_id: 'ch_"quoted\\back\u2028slash"',
      arn: '74537604221222132710572',
      external_transaction_identifier: 'line\nbreak\ttab',
      merchant_reference_name: 'acct_é漢字😀',
      reason_code: '10.4',
      reason: '<script>alert("x")</script>\u0001',
      card_scheme: 'visa',
      payment_method: 'card',
      bin: '424242',
      card_last_four_digits: '4242',
      billing_country: 'DE',
      enrichment_ratio: '0.1234',
      is_enriched: true,
      win_probability: '61.5',
      roi_recommendation: 'Fight',
      posting_date: new Date('2027-01-01T00:00:00Z'),
    }
    const id = await addChargeback(stage.db, at, full)
    const item = (await list()).body.data.find((one: { id: string }) => one.id === id)
    expect(item).toEqual((await read(id)).body.data)
    expect(item).toMatchObject({
      amount: 123456789.012,
      currency: 'KWD',
      referenceAccountId: stage.referenceId,
      integrationId: at.integrationId,
      transactionCreatedDate: '2025-12-31T23:59:59.999Z',
      pspStatusChangeDate: '2026-01-02T03:04:05.006Z',
      transactionId: full.transaction_id,
      externalTransactionIdentifier: full.external_transaction_identifier,
      merchantReferenceName: full.merchant_reference_name,
      reason: full.reason,
      enrichmentRatio: 0.1234,
      winProbability: 61.5,
      roiRecommendation: 'Fight',
      isEnriched: true,
      cardLastFourDigits: '4242',
    })
    expect(Object.keys(item)).toHaveLength(29)
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
  })

  it.each([
    [0n, 2, 0],
    [500n, 2, 5],
    [1099n, 2, 10.99],
    [-250n, 2, -2.5],
    [1001n, 0, 1001],
    [1n, 4, 0.0001],
    [900719925474099n, 2, 9007199254740.99],
  ])(
    'shows %d with %d decimal digits as %d, in the list and the single read',
    async (amount_minor, amount_exponent, amount) => {
      const id = await addChargeback(stage.db, at, {
        amount_minor,
        amount_exponent,
        posting_date: new Date('2028-01-01T00:00:00Z'),
      })
      const { text, body } = await list()
      expect(body.data[0]).toMatchObject({ id, amount })
      expect(text).toContain(`"amount":${amount},`)
      expect((await read(id)).body.data.amount).toBe(amount)
      await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
    },
  )

  it('leaves out unknown values', async () => {
    const id = await addChargeback(stage.db, at, { posting_date: null, due_date: null })
    const { data } = (await read(id)).body
    for (const field of ['postingDate', 'dueDate', 'arn', 'winProbability', 'cardScheme'])
      expect(data).not.toHaveProperty(field)
    expect(JSON.stringify(data)).not.toContain('null')
    await stage.db.deleteFrom('chargeback').where('id', '=', id).execute()
  })

  it.each(['x', randomUUID(), '%00', '%E0%A4%A', "'"])('returns 404 for %s', async (id) => {
    expect(await read(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })

  it('returns exactly the same for a foreign chargeback as for a missing one', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Stranger' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    const [foreign, missing] = [await read(ids[0] ?? '', { token }), await read(randomUUID(), { token })]
    expect({ ...foreign.body, errorId: '' }).toEqual({ ...missing.body, errorId: '' })
    expect(foreign.status).toBe(404)
  })
})
