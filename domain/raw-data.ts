/** Raw data of a sandbox (operation 21): its types, and the references of payment records. */

export const DATA_TYPES = [
  'chargebacks',
  'transactions',
  'refunds',
  'early_fraud_warnings',
  'card_checks',
  'payment_actions',
  'issuer_notes',
] as const
export type DataType = (typeof DATA_TYPES)[number]

/** Records become data points of their chargebacks: one data point per type, with all records by id. */
export const RECORD_DATA_POINTS = {
  refunds: 'refunds',
  card_checks: 'cardChecks',
  payment_actions: 'paymentActions',
  issuer_notes: 'issuerNotes',
} as const satisfies Partial<Record<DataType, string>>
export type RecordType = keyof typeof RECORD_DATA_POINTS

export const isRecordType = (dataType: DataType): dataType is RecordType => dataType in RECORD_DATA_POINTS

/** Members with the record's own id: Recoup's, Stripe's, PayPal's and Braintree's first, then Adyen's. */
const OWN_ID = ['id', 'pspReference'] as const

/** Members with references of a record: the interface's names, then those of the PSPs. */
export const NAMING = [
  'chargebackId',
  'transactionId',
  'arn',
  'externalTransactionIdentifier',
  'dispute',
  'dispute_id',
  'disputeId',
  'charge',
  'payment_intent',
  'capture_id',
  'originalReference',
  'refundedTransactionId',
] as const

const LONGEST = 255

/** @returns the record's id and all its references, or a sentence about what is missing */
export function readRecord(
  record: Readonly<Record<string, unknown>>,
): { reference: string; about: string[] } | { fault: string } {
  const reference = OWN_ID.map((name) => idOf(record[name])).find((id) => id !== null)
  if (!reference) return { fault: 'id is required: a text of at most 255 characters' }
  const about = [...new Set(NAMING.flatMap((name) => idOf(record[name]) ?? []))]
  if (about.length === 0) return { fault: `it must name a chargeback or transaction, by one of ${NAMING.join(', ')}` }
  return { reference, about }
}

/** PSPs send a reference as an id or, expanded, as an object with an id. */
function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
  if (typeof id !== 'string' || id === '' || id.length > LONGEST) return null
  return id.isWellFormed() && !id.includes('\0') ? id : null
}

/** Status values of completed refunds; a refund without a status counts as completed. */
const DONE = new Set(['succeeded', 'success', 'completed', 'settled', 'refunded', 'true'])

/** Whether a refund proves that the cardholder received the money. */
export function provesRefund(refund: Readonly<Record<string, unknown>>): boolean {
  const said = refund.status ?? refund.success
  return said === undefined || said === null || DONE.has(String(said).toLowerCase())
}

/** Removes nulls at every depth, because data points have none. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(said.map(([name, inner]) => [name, withoutNulls(inner)]))
}
