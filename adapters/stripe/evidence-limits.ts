import type { FieldTable } from '../../domain/evidence/texts/text-table.ts'
import type { EvidenceLimits } from '../contract.ts'

/** Evidence limits of Stripe (Stripe docs, Dispute evidence; limits in the SDK's own comments). */

/** One file each. */
export const FILE_FIELDS = [
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'duplicate_charge_documentation',
  'receipt',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
  'uncategorized_file',
] as const

const LONG_TEXTS = [
  'access_activity_log',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'duplicate_charge_explanation',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'uncategorized_text',
] as const
const SHORT_TEXTS = [
  'billing_address',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_id',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
] as const

export type TextField = (typeof LONG_TEXTS)[number] | (typeof SHORT_TEXTS)[number]

/** Facts about the customer that Stripe may fill in: never cleared. */
const PREFILLED: readonly string[] = [
  'billing_address',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
]

/**
 * Fields that Recoup fills and Stripe does not: cleared when an earlier submission by Recoup filled them; otherwise
 * their content is somebody else's.
 */
export const CLEARED: readonly string[] = [...FILE_FIELDS, ...LONG_TEXTS, ...SHORT_TEXTS].filter(
  (field) => !PREFILLED.includes(field),
)

const MEGABYTE = 1024 * 1024

/** 4.5 MB and 50 pages in total are the network's limits, which Stripe checks when evidence is staged. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
  maxFileBytes: 5 * MEGABYTE,
  maxTotalBytes: 4.5 * MEGABYTE,
  maxFiles: FILE_FIELDS.length,
  maxPages: 50,
  // Stripe counts texts as pages and says not how: this assumes full pages.
  charactersPerPage: 3_000,
  fileFields: FILE_FIELDS,
  textFields: Object.fromEntries([
    ...LONG_TEXTS.map((field) => [field, 20_000] as const),
    ...SHORT_TEXTS.map((field) => [field, 5_000] as const),
  ]),
  maxTextCharacters: 150_000,
}

/** Mastercard's page limit is lower. */
export const MASTERCARD_PAGES = 19

/** In an appeal only its reason and its documents may be changed; the plan numbers the documents. */
export const APPEAL_REASON = 'appeal.reason_for_filing'
export const APPEAL_FILES = [1, 2, 3, 4, 5].map((number) => `appeal.supporting_file_${number}`)

/** Data points of a purchase, by Stripe's fields. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  customer_email_address: ['transactionOrderEmail', 'transactionShippingEmail'],
  customer_purchase_ip: ['transactionOrderIpAddress'],
  product_description: ['transactionOrderItemsProductDescription', 'transactionOrderItemsProductName'],
  shipping_address: ['transactionShippingToFullShippingAddress'],
}

/** Characters of a text that Recoup writes: issuers read for minutes, and Stripe counts texts as pages. */
const MOST = 1_000

/** What fills Stripe's text fields (Stripe docs, Dispute evidence). Stripe fills in what it knows of the customer. */
export const TEXT_FACTS: FieldTable<TextField> = {
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
}
