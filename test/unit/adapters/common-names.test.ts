import { expect, test } from 'vitest'
import { braintree } from '../../../adapters/braintree/index.ts'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { adapters } from '../../../adapters/registry.ts'
import { evidenceTexts } from '../../../domain/evidence/evidence-texts.ts'

/** One name for one fact: what a client sets by it reaches the field of each PSP that has one. */
const REACHED: Record<string, Record<string, string>> = {
  stripe: { shipping_carrier: 'UPS', shipping_tracking_number: '1Z 999' },
  paypal: { carrier_name: 'UPS', tracking_number: '1Z 999' },
  braintree: { CARRIER_NAME: 'UPS', TRACKING_NUMBER: '1Z 999' },
  recoup_sandbox: { shipping_carrier: 'UPS', shipping_tracking_number: '1Z 999' },
  // Adyen takes documents only.
  adyen: {},
}

const textsOf = ({ evidence, textSources }: AdapterDefinition, points: Record<string, unknown>) =>
  evidenceTexts(points, Object.keys(evidence?.textFields ?? {}), textSources)

test.each(Object.keys(REACHED))('shippingCarrier and shippingTrackingNumber at %s', (source) => {
  const definition = adapters().find((one) => one.source === source) as AdapterDefinition
  const points = { shippingCarrier: 'UPS', shippingTrackingNumber: '1Z 999' }
  expect(textsOf(definition, points)).toEqual(REACHED[source])
})

test('the other facts that Braintree has a category for', () => {
  const points = {
    ...{ customerName: 'Ada', deviceName: 'phone', transactionOrderDeviceId: 'd-1', geographicalLocation: 'Leeds' },
    ...{ downloadDate: '2026-03-01', refundId: 'r-1', refundDate: '2026-03-02', refundAmount: '12.00', refundArn: '7' },
    ...{ transactionOrderEmail: 'ada@example.com', transactionOrderIpAddress: '192.0.2.1' },
  }
  expect(textsOf(braintree as AdapterDefinition, points)).toEqual({
    ...{ PURCHASER_NAME: 'Ada', DEVICE_NAME: 'phone', DEVICE_ID: 'd-1', GEOGRAPHICAL_LOCATION: 'Leeds' },
    ...{ DOWNLOAD_DATE_TIME: '2026-03-01', REFUND_ID: 'r-1', CREDIT_ISSUED_DATE_TIME: '2026-03-02' },
    ...{ CREDIT_ISSUED_AMOUNT: '12.00', CREDIT_ISSUED_ARN: '7' },
    ...{ PURCHASER_EMAIL_ADDRESS: 'ada@example.com', PURCHASER_IP_ADDRESS: '192.0.2.1' },
  })
})
