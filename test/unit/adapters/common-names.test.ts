import { expect, test } from 'vitest'
import { braintree } from '../../../adapters/braintree/index.ts'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { adapters } from '../../../adapters/registry.ts'
import { stripe } from '../../../adapters/stripe/index.ts'
import { evidenceTexts } from '../../../domain/evidence/evidence-texts.ts'

/** The field of each PSP that a client's data points fill. */
const FILLED: Record<string, Record<string, string>> = {
  stripe: { shipping_carrier: 'UPS', shipping_tracking_number: '1Z 999' },
  paypal: { carrier_name: 'UPS', tracking_number: '1Z 999' },
  braintree: { CARRIER_NAME: 'UPS', TRACKING_NUMBER: '1Z 999' },
  recoup_sandbox: { shipping_carrier: 'UPS', shipping_tracking_number: '1Z 999' },
  // Adyen accepts documents only.
  adyen: {},
}

const textsOf = ({ evidence, textSources }: AdapterDefinition, points: Record<string, unknown>) =>
  evidenceTexts(points, Object.keys(evidence?.textFields ?? {}), textSources)

test.each(Object.keys(FILLED))('shippingCarrier and shippingTrackingNumber at %s', (source) => {
  const definition = adapters().find((one) => one.source === source) as AdapterDefinition
  const points = { shippingCarrier: 'UPS', shippingTrackingNumber: '1Z 999' }
  expect(textsOf(definition, points)).toEqual(FILLED[source])
})

test('the other data points that Stripe has a field for', () => {
  const points = {
    ...{ customerName: 'Ada', transactionOrderEmail: 'ada@example.com', transactionOrderIpAddress: '192.0.2.1' },
    ...{ transactionOrderItemsProductDescription: 'a lamp', transactionShippingToFullShippingAddress: '1 Road' },
    ...{ billingAddress: '2 Road', shippingDate: '2026-03-01', serviceDate: '2026-03-02', accessActivityLog: 'a log' },
    ...{ refundPolicyDisclosure: 'p1', refundRefusalExplanation: 'p2', cancellationPolicyDisclosure: 'p3' },
    ...{ cancellationRebuttal: 'p4', duplicateChargeId: 'ch_1', duplicateChargeExplanation: 'p5' },
  }
  expect(textsOf(stripe as AdapterDefinition, points)).toEqual({
    ...{ customer_name: 'Ada', customer_email_address: 'ada@example.com', customer_purchase_ip: '192.0.2.1' },
    ...{ product_description: 'a lamp', shipping_address: '1 Road', billing_address: '2 Road' },
    ...{ shipping_date: '2026-03-01', service_date: '2026-03-02', access_activity_log: 'a log' },
    ...{ refund_policy_disclosure: 'p1', refund_refusal_explanation: 'p2', cancellation_policy_disclosure: 'p3' },
    ...{ cancellation_rebuttal: 'p4', duplicate_charge_id: 'ch_1', duplicate_charge_explanation: 'p5' },
  })
})

test('a refund at PayPal', () => {
  const paypal = adapters().find((one) => one.source === 'paypal') as AdapterDefinition
  expect(textsOf(paypal, { refundId: 'r-1' })).toEqual({ refund_ids: 'r-1' })
})

test('the other data points that Braintree has a category for', () => {
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
