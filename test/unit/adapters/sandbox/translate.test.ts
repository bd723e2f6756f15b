import { describe, expect, test } from 'vitest'
import { faultsOfRawData, toRecoupShape } from '../../../../adapters/sandbox/raw-data.ts'
import { toChargeback } from '../../../../adapters/sandbox/translate.ts'
import { toChargeback as stripeToChargeback } from '../../../../adapters/stripe/translate.ts'
import type { ChargebackFacts } from '../../../../domain/chargeback.ts'
import { sampleDispute } from '../loopback.ts'
import { rawChargeback } from './connect.ts'

const translate = (shape: unknown) => toChargeback({ reference: 'cb-1', text: JSON.stringify(shape) })

function factsOf(shape: unknown): ChargebackFacts {
  const translation = translate(shape)
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.facts
}

describe('a chargeback in the Recoup shape', () => {
  test('keeps every field that the service does not derive', () => {
    const shape = rawChargeback({
      psp: 'worldpay',
      transactionCreatedDate: '2026-04-01T00:00:00+02:00',
      pspStatusChangeDate: '2026-05-21T00:00:00Z',
      arn: '74537604221222132710572',
      externalTransactionIdentifier: 'order-7',
      merchantReferenceName: 'shop',
      reason: 'fraud',
      paymentMethod: 'apple_pay',
      bin: '411111',
      cardLastFourDigits: '4242',
      billingCountry: 'SE',
    })
    expect(factsOf(shape)).toEqual({
      chargebackId: 'cb-1',
      psp: 'worldpay',
      currency: 'EUR',
      amountMinor: 1099n,
      amountExponent: 2,
      postingDate: '2026-05-20T00:00:00.000Z',
      transactionCreatedDate: '2026-03-31T22:00:00.000Z',
      dueDate: '2026-06-10T00:00:00.000Z',
      pspStatus: 'needs_response',
      pspStatusChangeDate: '2026-05-21T00:00:00.000Z',
      lifecycleStage: 'chargeback',
      transactionId: 'tx-1',
      arn: '74537604221222132710572',
      externalTransactionIdentifier: 'order-7',
      merchantReferenceName: 'shop',
      reasonCode: '10.4',
      reason: 'fraud',
      cardScheme: 'visa',
      paymentMethod: 'apple_pay',
      bin: '411111',
      cardLastFourDigits: '4242',
      billingCountry: 'SE',
      pspSequence: null,
    })
  })

  test('without a psp has the psp recoup_sandbox', () => {
    expect(factsOf(rawChargeback()).psp).toBe('recoup_sandbox')
  })

  test.each([
    [{ chargebackId: undefined }, 'chargebackId is required'],
    [{ chargebackId: 7 }, 'chargebackId must be a string'],
    [{ chargebackId: '' }, 'chargebackId must not be empty: leave it out when it is not known'],
    [{ amount: undefined }, 'amount is required'],
    [{ amount: '10.99' }, 'amount must be a number that is not negative'],
    [{ amount: -1 }, 'amount must be a number that is not negative'],
    [{ amount: 10.995 }, 'amount must have at most 2 digits after the point in its currency'],
    [{ amount: 1e30 }, 'amount is larger than any amount'],
    [{ currency: 'eur' }, 'currency must be an ISO 4217 code in capital letters'],
    [{ currency: undefined }, 'currency is required'],
    [{ pspStatus: undefined }, 'pspStatus is required'],
    [{ lifecycleStage: undefined }, 'lifecycleStage is required'],
    [{ postingDate: '2026-05-20' }, 'postingDate must be an ISO 8601 date-time such as 2026-01-31T12:00:00Z'],
    [{ dueDate: 1_780_000_000 }, 'dueDate must be a string'],
    [{ dueDate: '2026-02-31T99:00:00Z' }, 'dueDate must be an ISO 8601 date-time such as 2026-01-31T12:00:00Z'],
    [{ dueDate: '2026-02-30T00:00:00Z' }, 'dueDate must be an ISO 8601 date-time such as 2026-01-31T12:00:00Z'],
    [{ bin: '12345' }, 'bin must be 6 or 8 digits'],
    [{ cardLastFourDigits: '42' }, 'cardLastFourDigits must be four digits'],
    [{ billingCountry: 'Sweden' }, 'billingCountry must be an ISO 3166 code of two capital letters'],
    [{ reason: 'x\u0000y' }, "reason holds characters that can't be stored"],
    [{ arn: 'x'.repeat(256) }, 'arn must have at most 255 characters'],
    [{ winProbability: 50 }, 'winProbability is derived by the service: leave it out'],
    [{ colour: 'red' }, 'colour is no field of a chargeback: leave it out'],
    [{ 'jenny@example.com': 1 }, 'a key is no field of a chargeback: leave it out'],
  ])('%j is refused, and the reason names the field', (changes, reason) => {
    expect(translate(rawChargeback(changes))).toEqual({ kind: 'unmappable', reference: 'cb-1', reason })
    expect(faultsOfRawData(rawChargeback(changes))).toContain(reason)
  })

  test.each(['pspStatus', 'lifecycleStage', 'cardScheme', 'paymentMethod', 'psp'])(
    'an unknown value of %s is accepted with an anomaly, and reported to a client that posts it',
    (field) => {
      const translation = translate(rawChargeback({ [field]: 'word_of_next_year' }))
      expect(translation).toMatchObject({ kind: 'chargeback', anomalies: [`unknown ${field}`] })
      expect(faultsOfRawData(rawChargeback({ [field]: 'word_of_next_year' }))).toEqual([
        expect.stringMatching(`^${field} must be one of `),
      ])
    },
  )

  test('a valid object has no faults', () => {
    expect(faultsOfRawData(rawChargeback())).toEqual([])
  })
})

describe('an object of another PSP', () => {
  test('keeps its facts in the Recoup shape', () => {
    const translation = stripeToChargeback({ reference: 'dp_1', text: JSON.stringify(sampleDispute()) })
    if (translation.kind === 'unmappable') throw new Error(translation.reason)
    expect(factsOf(toRecoupShape(translation.facts))).toEqual(translation.facts)
  })
})
