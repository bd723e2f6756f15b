import { describe, expect, test } from 'vitest'
import type { ChargebackColumns, StoredChargeback } from '../../../db/polling/ingest.ts'
import { tell } from '../../../workflows/activities/polling/timeline.ts'

/** As far as `tell` looks at it. */
const stored = {
  ...{ status: 'waiting_for_data', statusReason: 'So.', pspStatus: 'needs_response', lifecycleStage: 'chargeback' },
  ...{
    amountMinor: 100n,
    amountExponent: 2,
    currency: 'USD',
    reason: 'fraud',
    externalTransactionIdentifier: null,
    transactionId: 'ch_1',
  },
} as unknown as StoredChargeback
const columns: ChargebackColumns = {
  ...{ psp: 'recoup_sandbox', status: 'waiting_for_data', status_reason: 'So.', psp_status: 'needs_response' },
  ...{
    lifecycle_stage: 'chargeback',
    amount_minor: '100',
    amount_exponent: 2,
    currency: 'USD',
    reason: 'fraud',
    transaction_id: 'ch_1',
  },
  ...Object.fromEntries(
    [
      ...['posting_date', 'transaction_created_date', 'arn', 'external_transaction_identifier', 'reason_code', 'bin'],
      ...['merchant_reference_name', 'card_scheme', 'payment_method', 'card_last_four_digits', 'billing_country'],
    ].map((name) => [name, null]),
  ),
}
const details = (change: ChargebackColumns) =>
  tell('id', stored, { ...columns, ...change }).find((event) => event.what === 'details changed')

describe('what the timeline tells of a later reading', () => {
  test('names free text that changed, and never says it: nobody could take a person out of it', () => {
    const told = details({
      currency: 'EUR',
      reason: 'claim of jane@example.com',
      external_transaction_identifier: 'jane@example.com',
      transaction_id: 'order of Jane',
    })
    expect(told).toMatchObject({
      before: { currency: 'USD' },
      after: { currency: 'EUR', fields: ['transactionId', 'externalTransactionIdentifier', 'reason'] },
    })
    expect(JSON.stringify(told)).not.toMatch(/jane|ch_1|fraud/i)
  })

  test('shows amounts in units of their currency, as a chargeback is read', () => {
    const told = (change: ChargebackColumns) => tell('id', stored, { ...columns, ...change })
    expect(told({ amount_minor: '12050' })).toMatchObject([
      { what: 'amount changed', before: { amount: 1, currency: 'USD' }, after: { amount: 120.5, currency: 'USD' } },
    ])
    expect(told({ amount_minor: '1000', amount_exponent: 3 })).toEqual([])
    expect(tell('id', null, { ...columns, amount_minor: '5000', amount_exponent: 0, currency: 'JPY' })).toMatchObject([
      { what: 'ingested', before: null, after: { amount: 5000, currency: 'JPY', status: 'waiting_for_data' } },
    ])
    expect(JSON.stringify(told({ amount_minor: '1' }))).not.toContain('inor')
  })

  test('names none where none changed', () => {
    expect(details({ currency: 'EUR' })?.after).toEqual({ currency: 'EUR' })
    expect(details({})).toBeUndefined()
  })
})
