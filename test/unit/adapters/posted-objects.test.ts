import { describe, expect, test } from 'vitest'
import { readPostedObject, recoupShapeOf } from '../../../adapters/raw-data.ts'
import { adapters } from '../../../adapters/registry.ts'
import type { Psp } from '../../../domain/chargeback.ts'
import type { DataType } from '../../../domain/raw-data.ts'
import { opened } from './adyen/adyen.ts'
import { sampleDispute } from './loopback.ts'
import { rawChargeback } from './sandbox/connect.ts'

const read = (dataSource: Psp, dataType: Exclude<DataType, 'transactions'>, object: unknown) =>
  readPostedObject({
    dataSource,
    dataType,
    text: JSON.stringify(object),
    definition: adapters().find((one) => one.source === dataSource),
  })
const rdr = {
  id: 'bt_1',
  amountDisputed: '10.00',
  currencyIsoCode: 'USD',
  receivedDate: '2026-01-10',
  status: 'auto_accepted',
  kind: 'chargeback',
  preDisputeProgram: 'visa_rdr',
}

describe('a posted object', () => {
  test('with a chargebackId is in the Recoup shape, whatever its source', () => {
    for (const dataSource of ['stripe', 'worldpay', 'recoup_sandbox'] as const) {
      const found = read(dataSource, 'chargebacks', rawChargeback())
      expect(found).toMatchObject({ kind: 'chargeback', reference: 'cb-1', own: false, facts: { psp: dataSource } })
    }
  })

  test('without a chargebackId is translated by its source’s adapter', () => {
    const found = read('stripe', 'chargebacks', sampleDispute())
    expect(found).toMatchObject({ kind: 'chargeback', reference: 'dp_sample1', own: true, facts: { psp: 'stripe' } })
    expect(read('adyen', 'chargebacks', opened())).toMatchObject({ kind: 'chargeback', own: true })
    expect(read('braintree', 'chargebacks', rdr)).toMatchObject({ facts: { providerName: 'Verifi RDR' } })
  })

  test('put into the Recoup shape keeps the facts of its own translation', () => {
    const found = read('braintree', 'chargebacks', rdr)
    if (found.kind !== 'chargeback') throw new Error(found.kind)
    const shape = recoupShapeOf(found.facts, 'braintree')
    const again = read('braintree', 'chargebacks', shape)
    if (again.kind !== 'chargeback') throw new Error(JSON.stringify(again))
    expect({ ...again.facts, pspSequence: null }).toEqual({ ...found.facts, pspSequence: null })
  })

  test('may have texts as long as its source allows, in a sandbox integration too', () => {
    const [reason, merchantReference] = ['r'.repeat(2000), 'm'.repeat(500)]
    const found = read('adyen', 'chargebacks', { ...opened(), reason, merchantReference })
    if (found.kind !== 'chargeback') throw new Error(JSON.stringify(found))
    expect(read('adyen', 'chargebacks', recoupShapeOf(found.facts, 'adyen'))).toMatchObject({
      facts: { reason, externalTransactionIdentifier: merchantReference },
    })
  })

  test('that is an early warning is an alert: in the Recoup shape, as a dispute, as a Radar warning', () => {
    const shape = { chargebackId: 'a-1', currency: 'JPY', amount: 1200, providerName: 'Ethoca' }
    expect(read('nmi', 'early_fraud_warnings', shape)).toMatchObject({
      kind: 'alert',
      facts: { reference: 'a-1', psp: 'nmi', providerName: 'Ethoca', money: { currency: 'JPY', amountMinor: 1200n } },
    })
    expect(read('braintree', 'early_fraud_warnings', rdr)).toMatchObject({
      kind: 'alert',
      facts: { reference: 'bt_1', providerName: 'Verifi RDR', money: { amountMinor: 1000n } },
    })
    const warning = { id: 'issfr_1', object: 'radar.early_fraud_warning', charge: { id: 'ch_1' }, fraud_type: 'misc' }
    expect(read('stripe', 'early_fraud_warnings', warning)).toMatchObject({
      kind: 'alert',
      facts: { reference: 'issfr_1', transactionId: 'ch_1', fraudType: 'misc', money: null, providerName: null },
    })
    expect(read('stripe', 'early_fraud_warnings', sampleDispute())).toMatchObject({ kind: 'refused' })
  })

  test('for a record may reference a chargeback or payment by any PSP’s field name', () => {
    for (const [name, value] of [
      ['chargebackId', 'x'],
      ['charge', { id: 'x' }],
      ['originalReference', 'x'],
      ['refundedTransactionId', 'x'],
    ] as const)
      expect(read('stripe', 'refunds', { id: 'r-1', [name]: value })).toEqual({
        kind: 'record',
        reference: 'r-1',
        about: ['x'],
      })
  })

  test('that is invalid is refused and never throws', () => {
    for (const text of ['', '[]', 'null', '7', '"x"', '{"a":'])
      for (const dataType of ['chargebacks', 'early_fraud_warnings', 'refunds'] as const)
        for (const definition of [undefined, ...adapters()])
          expect(readPostedObject({ dataSource: 'stripe', dataType, text, definition }).kind).toBe('refused')
    for (const { source } of adapters())
      for (const object of [{}, { id: {} }, { id: '\0' }, { amount: { value: 1e300 } }, { items: [null] }])
        expect(read(source as Psp, 'chargebacks', object).kind).toBe('refused')
  })
})

test('fetchContext of every adapter returns null for the Recoup shape', async () => {
  const text = JSON.stringify(rawChargeback())
  const secrets: Record<string, { secret: unknown; externalIdentifier: string }> = {
    stripe: { secret: { apiKey: 'rk_test_1' }, externalIdentifier: 'acct_1' },
    paypal: { secret: { clientId: 'id', clientSecret: 'secret' }, externalIdentifier: 'merchant' },
    braintree: { secret: { publicKey: 'public', secretKey: 'private' }, externalIdentifier: 'merchant' },
    adyen: { secret: { hmac: 'a'.repeat(64), apiKey: 'AQE' }, externalIdentifier: 'Merchant' },
  }
  for (const definition of adapters()) {
    const known = secrets[definition.source]
    if (!known) continue
    const adapter = definition.connect({
      ...known,
      pspAccount: null,
      baseUrl: 'http://127.0.0.1:9',
      environment: 'sandbox',
      fetch: () => Promise.reject(new Error('unexpected call')),
      now: () => new Date(),
      inbox: { read: async () => [], about: async () => [], aboutAll: async () => new Map() },
    })
    expect(await adapter.fetchContext?.({ reference: 'cb-1', text }), definition.source).toBeNull()
  }
})
