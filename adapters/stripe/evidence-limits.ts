import type { EvidenceLimits } from '../contract.ts'

/** What Stripe takes as evidence (Stripe docs, Dispute evidence; limits in the SDK's own comments). */

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

/** Facts about the customer that Stripe may fill in by itself: never cleared. */
const PREFILLED: readonly string[] = [
  'billing_address',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
]

/** What an answer of ours fills and Stripe doesn't: cleared where an earlier one has filled it, somebody else's otherwise. */
export const CLEARED: readonly string[] = [...FILE_FIELDS, ...LONG_TEXTS, ...SHORT_TEXTS].filter(
  (field) => !PREFILLED.includes(field),
)

const MEGABYTE = 1024 * 1024

/** 4.5 MB and 50 pages together are the network's caps, which Stripe checks when evidence is staged. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
  maxFileBytes: 5 * MEGABYTE,
  maxTotalBytes: 4.5 * MEGABYTE,
  maxFiles: FILE_FIELDS.length,
  maxPages: 50,
  fileFields: FILE_FIELDS,
  textFields: Object.fromEntries([
    ...LONG_TEXTS.map((field) => [field, 20_000] as const),
    ...SHORT_TEXTS.map((field) => [field, 5_000] as const),
  ]),
  maxTextCharacters: 150_000,
}

/** Mastercard prints fewer pages. */
export const MASTERCARD_PAGES = 19

/** In an appeal only the reason for it and its documents may be changed; the plan names the documents by number. */
export const APPEAL_REASON = 'appeal.reason_for_filing'
export const APPEAL_FILES = [1, 2, 3, 4, 5].map((number) => `appeal.supporting_file_${number}`)

/** What clients tell about a purchase, in Stripe's fields. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  customer_email_address: ['transactionOrderEmail', 'transactionShippingEmail'],
  customer_purchase_ip: ['transactionOrderIpAddress'],
  product_description: ['transactionOrderItemsProductDescription', 'transactionOrderItemsProductName'],
  shipping_address: ['transactionShippingToFullShippingAddress'],
}
