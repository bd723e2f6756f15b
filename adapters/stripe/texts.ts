import type { TextTable } from '../../domain/evidence/texts/text-table.ts'
import type { TextField } from './evidence-limits.ts'

/** Characters of a text that Recoup writes: issuers read for minutes, and Stripe counts texts as pages. */
const MOST = 1_000

/** What fills Stripe's text fields (Stripe docs, Dispute evidence). Stripe fills in what it knows of the customer. */
export const TEXT_TABLE: TextTable<TextField> = {
  fields: {
    uncategorized_text: [{ summary: 1_500 }],
    product_description: [{ fact: 'goods', most: MOST }],
    customer_name: [{ fact: 'customerName', most: MOST, clientOnly: true }],
    customer_email_address: [{ fact: 'email', most: MOST, clientOnly: true }],
    customer_purchase_ip: [{ fact: 'ip', most: MOST, clientOnly: true }],
    // Another address than the one on file at the issuer would help the cardholder.
    billing_address: [{ fact: 'billingAddress', only: 'addressMatched', most: MOST, clientOnly: true }],
    shipping_address: [{ fact: 'shipTo', most: MOST }],
    shipping_carrier: [{ fact: 'shippingCarrier', most: MOST }],
    shipping_tracking_number: [{ ids: 'shippingTrackingNumber' }],
    shipping_date: [{ fact: 'shippingDate' }],
    service_date: [{ fact: 'serviceDate' }],
    access_activity_log: [
      { log: 'accessActivityLog', most: 3_000 },
      { sentencesWith: ['downloadDate', 'lastUseDate'], most: MOST },
    ],
    // Also says that the money went back.
    refund_refusal_explanation: [
      { fact: 'refundRefusalExplanation', most: MOST },
      { sentencesWith: ['refundAmount'], most: MOST },
    ],
    refund_policy_disclosure: [{ fact: 'refundPolicyDisclosure', most: MOST }],
    cancellation_rebuttal: [
      { fact: 'cancellationRebuttal', most: MOST },
      { sentencesWith: ['usedAfterCancellation'], most: MOST },
    ],
    cancellation_policy_disclosure: [{ fact: 'cancellationPolicyDisclosure', most: MOST }],
    duplicate_charge_id: [{ fact: 'duplicateChargeId' }],
    duplicate_charge_explanation: [
      { fact: 'duplicateChargeExplanation', most: MOST },
      { sentencesWith: ['duplicateChargeId'], most: MOST },
    ],
  },
}
