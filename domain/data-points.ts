import { EVIDENCE_SIGNALS, type EvidenceSignal } from './assessment/defaults.ts'
import { UNSTORABLE } from './storable.ts'

/** What a client tells about one chargeback (operation 4): named values. */
export type DataPoints = Record<string, unknown>

/** Levels of arrays and objects in one value. */
const MAX_DEPTH = 5
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,99}$/

/** Fields of the chargeback itself: the service and the PSP say what they are. */
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

/** What is wrong with a name or value, in words for the client; null when nothing is. */
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

/** Given values over the stored ones; what is not given stays. */
export function mergeDataPoints(stored: DataPoints, given: DataPoints): DataPoints {
  return Object.fromEntries([...Object.entries(stored), ...Object.entries(given)])
}

/** Names whose value says something: an empty text, array or object takes a data point back. */
export function presentDataPoints(points: DataPoints): string[] {
  return Object.keys(points).filter((name) => !isEmpty(points[name]))
}

function isEmpty(value: unknown): boolean {
  if (value === '') return true
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Data points by which a client claims a fact that decides cases. */
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
