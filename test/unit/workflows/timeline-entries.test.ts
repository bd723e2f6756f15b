import { describe, expect, test } from 'vitest'
import type { ChargebackColumns, StoredChargeback } from '../../../db/polling/page.ts'
import { timelineEntries } from '../../../workflows/activities/polling/timeline.ts'

/** The fields that `timelineEntries` reads. */
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
const columns = {
  ...{ psp: 'recoup_sandbox', status: 'waiting_for_data', statusReason: 'So.', pspStatus: 'needs_response' },
  ...{
    lifecycleStage: 'chargeback',
    amountMinor: '100',
    amountExponent: 2,
    currency: 'USD',
    reason: 'fraud',
    transactionId: 'ch_1',
  },
  ...Object.fromEntries(
    [
      ...['postingDate', 'transactionCreatedDate', 'arn', 'externalTransactionIdentifier', 'reasonCode', 'bin'],
      ...['merchantReferenceName', 'cardScheme', 'paymentMethod', 'cardLastFourDigits', 'billingCountry'],
    ].map((name) => [name, null]),
  ),
} as unknown as ChargebackColumns
const details = (change: Partial<ChargebackColumns>) =>
  timelineEntries('id', stored, { ...columns, ...change }).find((event) => event.what === 'details changed')

describe('the timeline entries of a later poll', () => {
  test('name changed free-text fields without the text, because personal data could not be erased from it', () => {
    const entries = details({
      currency: 'EUR',
      reason: 'claim of jane@example.com',
      externalTransactionIdentifier: 'jane@example.com',
      transactionId: 'order of Jane',
    })
    expect(entries).toMatchObject({
      before: { currency: 'USD' },
      after: { currency: 'EUR', fields: ['transactionId', 'externalTransactionIdentifier', 'reason'] },
    })
    expect(JSON.stringify(entries)).not.toMatch(/jane|ch_1|fraud/i)
  })

  test('show amounts in units of their currency, as the chargeback does', () => {
    const entries = (change: Partial<ChargebackColumns>) => timelineEntries('id', stored, { ...columns, ...change })
    expect(entries({ amountMinor: '12050' })).toMatchObject([
      { what: 'amount changed', before: { amount: 1, currency: 'USD' }, after: { amount: 120.5, currency: 'USD' } },
    ])
    expect(entries({ amountMinor: '1000', amountExponent: 3 })).toEqual([])
    expect(
      timelineEntries('id', null, { ...columns, amountMinor: '5000', amountExponent: 0, currency: 'JPY' }),
    ).toMatchObject([
      { what: 'ingested', before: null, after: { amount: 5000, currency: 'JPY', status: 'waiting_for_data' } },
    ])
    expect(JSON.stringify(entries({ amountMinor: '1' }))).not.toContain('inor')
  })

  test('name no free-text field if none changed', () => {
    expect(details({ currency: 'EUR' })?.after).toEqual({ currency: 'EUR' })
    expect(details({})).toBeUndefined()
  })
})
