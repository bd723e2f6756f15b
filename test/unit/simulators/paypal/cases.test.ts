import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/paypal/translate.ts'
import { connectSimulator, DISPUTES } from '../../adapters/paypal/at-simulator.ts'
import { ID } from '../../adapters/paypal/paypal.ts'

type Simulator = Awaited<ReturnType<typeof connectSimulator>>
const rels = (dispute: { links: { rel: string }[] }) =>
  dispute.links.map((link) => link.rel.replaceAll('-', '_')).filter((rel) => rel !== 'self')
const act = (paypal: Simulator, reference: string | undefined, action: string, body: object) =>
  paypal.call('POST', `${DISPUTES}/${reference}/${action}`, body)

describe('what a seller may do', () => {
  test.each([
    [{ status: 'OPEN', stage: 'inquiry' }, ['accept_claim', 'send_message', 'make_offer', 'escalate']],
    [{ status: 'needs_response', stage: 'claim' }, ['accept_claim', 'provide_evidence', 'acknowledge_return_item']],
    [{ status: 'WAITING_FOR_BUYER_RESPONSE' }, []],
    [{ status: 'won', stage: 'claim' }, []],
  ])('in %j is %j', async (order, expected) => {
    await using paypal = await connectSimulator()
    const [reference] = await paypal.create({ count: 1, ...order })
    expect(rels(await paypal.dispute(reference))).toEqual(expected)
  })

  test('is linked in both spellings', async () => {
    await using paypal = await connectSimulator()
    const seen = new Set<string>()
    for (const reference of await paypal.create({ count: 30, status: 'needs_response', stage: 'claim' })) {
      for (const { rel } of (await paypal.dispute(reference)).links) if (/accept/.test(rel)) seen.add(rel)
    }
    expect([...seen].sort()).toEqual(['accept-claim', 'accept_claim'])
  })

  test('a partial refund waits for the buyer', async () => {
    await using paypal = await connectSimulator()
    const [reference] = await paypal.create({ count: 1, status: 'needs_response', stage: 'claim' })
    const refund_amount = { currency_code: 'USD', value: '1.00' }
    const body = { note: 'half', accept_claim_type: 'PARTIAL_REFUND', refund_amount }
    const { status, body: response } = await act(paypal, reference, 'accept-claim', body)
    const href = expect.stringContaining(`paypal.com${DISPUTES}/${reference}`)
    expect([status, response]).toEqual([200, { links: [{ rel: 'self', method: 'GET', href }] }])
    expect((await paypal.dispute(reference)).status).toBe('WAITING_FOR_BUYER_RESPONSE')
  })

  test.each([
    ['send-message', { message: 'hello' }, { status: 'OPEN', messages: [{ content: 'hello' }] }],
    ['make-offer', { note: 'n', offer_type: 'REFUND' }, { status: 'WAITING_FOR_BUYER_RESPONSE' }],
    ['escalate', { note: 'n' }, { status: 'UNDER_REVIEW', dispute_life_cycle_stage: 'CHARGEBACK' }],
  ])('in an inquiry: %s', async (action, body, expected) => {
    await using paypal = await connectSimulator()
    const [reference] = await paypal.create({ count: 1, status: 'OPEN', stage: 'inquiry' })
    expect((await act(paypal, reference, action, {})).status).toBe(400)
    expect((await act(paypal, reference, action, body)).status).toBe(200)
    expect(await paypal.dispute(reference)).toMatchObject(expected)
    const [other] = await paypal.create({ count: 1, status: 'won', stage: 'claim' })
    expect((await act(paypal, other, action, body)).status).toBe(422)
  })

  test.each([
    ['ITEM_RECEIVED', 'RESOLVED'],
    ['DAMAGED', 'UNDER_REVIEW'],
  ])('a return that is acknowledged as %s becomes %s', async (acknowledgement_type, status) => {
    await using paypal = await connectSimulator()
    const [reference] = await paypal.create({ count: 1, status: 'needs_response', stage: 'claim' })
    expect((await act(paypal, reference, 'acknowledge-return-item', { acknowledgement_type })).status).toBe(200)
    expect((await paypal.dispute(reference)).status).toBe(status)
  })
})

describe('a chargeback of the card network', () => {
  const CHARGEBACK = '/v2/customer-support/process-chargeback'
  const order = (id_enc: string) => ({
    adjacency: 'PAYPAL',
    file_layout: 'ATCK_CB',
    financial_institution: { processor: 'FDMS' },
    transaction: { id_enc, amount: { currency_code: 'USD', value: '20.00' } },
    instrument: { instrument_type: 'CARD' },
    dispute: { amount: { currency_code: 'USD', value: '10.00' }, processor_info: { reason_code: '1330' } },
  })

  test('for a payment without a dispute is a new dispute', async () => {
    await using paypal = await connectSimulator()
    const { status, body } = await paypal.call('POST', CHARGEBACK, order('3BC38643YC807283D'))
    expect([status, Object.keys(body)]).toEqual([201, ['dispute_id']])
    const read = toChargeback({ reference: null, text: JSON.stringify(await paypal.dispute(body.dispute_id)) })
    expect(read).toMatchObject({
      anomalies: [],
      facts: { lifecycleStage: 'chargeback', pspStatus: 'needs_response', amountMinor: 1000n, reasonCode: '13.3' },
    })
    expect((await paypal.call('POST', CHARGEBACK, order('3BC38643YC807283D'))).status).toBe(422)
  })

  test('after an internal PayPal case reopens that case, under the same id', async () => {
    await using paypal = await connectSimulator()
    const [reference] = await paypal.create({ count: 1, status: 'won', stage: 'claim' })
    const [transaction] = (await paypal.dispute(reference)).disputed_transactions
    const { body } = await paypal.call('POST', CHARGEBACK, order(transaction.seller_transaction_id))
    expect(body).toEqual({ dispute_id: reference })
    const { status, dispute_channel } = await paypal.dispute(reference)
    expect([status, dispute_channel]).toEqual(['WAITING_FOR_SELLER_RESPONSE', 'EXTERNAL'])
  })

  test.each([
    { ...order('short') },
    { ...order('3BC38643YC807283D'), adjacency: 'OTHER' },
    { ...order('3BC38643YC807283D'), dispute: 'none' },
  ])('is refused if it is incomplete (%#)', async (body) => {
    await using paypal = await connectSimulator()
    expect((await paypal.call('POST', CHARGEBACK, body)).status).toBe(400)
  })
})

describe('odd disputes', () => {
  test('with several transactions, or disputed in crypto, are shown as they are', async () => {
    await using paypal = await connectSimulator()
    const [sample] = await paypal.create({ count: 1, status: 'under_review', stage: 'claim' })
    const { dispute_amount: _, ...rest } = await paypal.dispute(sample)
    const [first] = rest.disputed_transactions
    await paypal.control(`/disputes`, {
      raw: { ...rest, dispute_id: ID, dispute_asset: { asset_symbol: 'BTC', quantity: '0.1' } },
    })
    const [several] = await paypal.create({ count: 1, fields: { disputed_transactions: [first, first] } })
    const { items } = (await paypal.call('GET', DISPUTES)).body
    expect(items.map((item: { dispute_id: string }) => item.dispute_id)).toEqual(
      expect.arrayContaining([sample, ID, several]),
    )
    const read = async (reference: string | undefined) =>
      toChargeback({ reference: null, text: JSON.stringify(await paypal.dispute(reference)) })
    expect(await read(ID)).toMatchObject({ kind: 'unmappable', reason: expect.stringContaining('crypto') })
    expect(await read(several)).toMatchObject({ anomalies: ['the first of 2 transactions is shown'] })
  })
})
