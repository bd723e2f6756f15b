import { EVIDENCE_SIGNALS, type EvidenceSignal } from './assessment/defaults.ts'
import { UNSTORABLE } from './storable.ts'

/** A client's data about one chargeback (operation 4): named values. */
export type DataPoints = Record<string, unknown>

/** Maximum nesting of arrays and objects in a value. */
const MAX_DEPTH = 5
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,99}$/

/** Fields of the chargeback that only the service and the PSP set. */
export const SERVICE_OWNED: ReadonlySet<string> = new Set([
  'id',
  'chargebackId',
  'referenceAccountId',
  'integrationId',
  'psp',
  'currency',
  'amount',
  'postingDate',
  'transactionCreatedDate',
  'dueDate',
  'pspStatusChangeDate',
  'pspStatus',
  'status',
  'lifecycleStage',
  'transactionId',
  'arn',
  'externalTransactionIdentifier',
  'merchantReferenceName',
  'reasonCode',
  'reason',
  'cardScheme',
  'enrichmentRatio',
  'winProbability',
  'roiRecommendation',
  'bin',
  'billingCountry',
  'isEnriched',
  'paymentMethod',
  'cardLastFourDigits',
])

/** An error in a name or value, for the client; null when there is none. */
export function faultOfDataPoint(name: string, value: unknown): string | null {
  if (!NAME.test(name)) return 'The name must be a letter and up to 99 letters, digits and underscores'
  if (SERVICE_OWNED.has(name)) return 'Belongs to the service and cannot be set'
  return faultOfValue(value, 0)
}

function faultOfValue(value: unknown, depth: number): string | null {
  if (value === null) return 'Must not be null; leave it out instead'
  if (typeof value === 'string') return UNSTORABLE.test(value) ? 'Invalid characters' : null
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'Must be a finite number'
  if (typeof value !== 'object') return typeof value === 'boolean' ? null : 'Must be a JSON value'
  if (depth === MAX_DEPTH) return `Must not be nested deeper than ${MAX_DEPTH} levels`
  for (const [name, inner] of Object.entries(value)) {
    const fault = UNSTORABLE.test(name) ? 'Invalid characters' : faultOfValue(inner, depth + 1)
    if (fault) return fault
  }
  return null
}

/** Merges given values over the stored ones; others stay. */
export function mergeDataPoints(stored: DataPoints, given: DataPoints): DataPoints {
  return Object.fromEntries([...Object.entries(stored), ...Object.entries(given)])
}

/** Names with a value; an empty text, array or object removes a data point. */
export function presentDataPoints(points: DataPoints): string[] {
  return Object.keys(points).filter((name) => !isEmpty(points[name]))
}

function isEmpty(value: unknown): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Data points by which a client claims a deciding fact. */
export const SIGNAL_DATA_POINTS: Readonly<Record<string, EvidenceSignal>> = {
  liabilityShift: 'liability_shift',
  signedDelivery: 'signed_delivery',
  usageAfterPurchase: 'usage_after_purchase',
  refundProof: 'refund_proof',
  policyAccepted: 'policy_accepted',
}

/** Facts that the client's data points claim: present, and neither false nor 0. */
export function claimedSignals(points: DataPoints): EvidenceSignal[] {
  const claimed = presentDataPoints(points).filter((name) => points[name] !== false && points[name] !== 0)
  const signals = new Set(claimed.map((name) => SIGNAL_DATA_POINTS[name]))
  return EVIDENCE_SIGNALS.filter((signal) => signals.has(signal))
}
