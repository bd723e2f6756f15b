import type { Specs } from './parameters.ts'

/** Parameter names of each endpoint, as the types of stripe@23.1.0 list them. */

const RANGE: Specs = { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' }
const PAGE: Specs = {
  created: { either: 'integer', or: RANGE },
  ending_before: 'string',
  expand: 'strings',
  limit: 'integer',
  starting_after: 'string',
}
export const EXPAND_ONLY: Specs = { expand: 'strings' }
export const DISPUTE_LIST: Specs = { ...PAGE, charge: 'string', payment_intent: 'string' }
export const CHARGE_LIST: Specs = { ...PAGE, customer: 'string', payment_intent: 'string', transfer_group: 'string' }
export const FILE_LIST: Specs = { ...PAGE, purpose: 'string' }
export const EVENT_LIST: Specs = { ...PAGE, delivery_success: 'boolean', type: 'string', types: 'strings' }
export const INTENT_RETRIEVE: Specs = { ...EXPAND_ONLY, client_secret: 'string' }

const ADDRESS: Specs = {
  city: 'string',
  country: 'string',
  line1: 'string',
  line2: 'string',
  postal_code: 'string',
  state: 'string',
}
const CE3_PRIOR: Specs = {
  charge: 'string',
  customer_account_id: 'string',
  customer_device_fingerprint: 'string',
  customer_device_id: 'string',
  customer_email_address: 'string',
  customer_purchase_ip: 'string',
  product_description: 'string',
  shipping_address: { fields: ADDRESS },
}
const { charge: _, ...CE3_COMMON } = CE3_PRIOR
const CE3_DISPUTED: Specs = { ...CE3_COMMON, merchandise_or_services: { oneOf: ['merchandise', 'services'] } }

/** Evidence fields that take one file each. */
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

/** Evidence fields that take text, with the most characters each may have. */
export const TEXT_FIELDS: Readonly<Record<string, number>> = {
  access_activity_log: 20_000,
  billing_address: 5_000,
  cancellation_policy_disclosure: 20_000,
  cancellation_rebuttal: 20_000,
  customer_email_address: 5_000,
  customer_name: 5_000,
  customer_purchase_ip: 5_000,
  duplicate_charge_explanation: 20_000,
  duplicate_charge_id: 5_000,
  product_description: 20_000,
  refund_policy_disclosure: 20_000,
  refund_refusal_explanation: 20_000,
  service_date: 5_000,
  shipping_address: 5_000,
  shipping_carrier: 5_000,
  shipping_date: 5_000,
  shipping_tracking_number: 5_000,
  uncategorized_text: 20_000,
}

const PLAIN: Specs = Object.fromEntries([...FILE_FIELDS, ...Object.keys(TEXT_FIELDS)].map((name) => [name, 'string']))
const APPEAL: Specs = {
  card: { fields: { reason_for_filing: 'string', supporting_files: 'strings' }, emptyable: true },
}
const ENHANCED: Specs = {
  mastercard_compliance: { fields: { fee_acknowledged: 'boolean' } },
  visa_compelling_evidence_3: {
    fields: { disputed_transaction: { fields: CE3_DISPUTED }, prior_undisputed_transactions: { items: CE3_PRIOR } },
  },
  visa_compliance: { fields: { fee_acknowledged: 'boolean' } },
}

export const DISPUTE_UPDATE: Specs = {
  evidence: {
    fields: {
      ...PLAIN,
      appeal: { fields: APPEAL, emptyable: true },
      enhanced_evidence: { fields: ENHANCED, emptyable: true },
    },
  },
  expand: 'strings',
  intended_submission_method: { oneOf: ['manual', 'prefer_manual', 'prefer_smart_disputes', 'smart_disputes'] },
  metadata: 'map',
  submit: 'boolean',
}

/** Names that a multipart upload may have next to its bytes. */
export const FILE_CREATE: Specs = {
  expand: 'strings',
  file_link_data: { fields: { create: 'boolean', expires_at: 'integer', metadata: 'map' } },
  purpose: 'string',
}
