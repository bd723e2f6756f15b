import type { FieldTable } from '../../domain/evidence/texts/text-table.ts'
import type { EvidenceLimits, EvidenceRequirements } from '../shared/evidence.ts'
import { at, listAt } from '../shared/facts.ts'
import { timeAt } from './facts.ts'
import { actionsOf } from './links.ts'

/** Evidence limits of PayPal (PayPal docs, Provide evidence; limits in its published specification). */

const MEGABYTE = 1024 * 1024
export const FULFILLMENT = 'PROOF_OF_FULFILLMENT'
export const REFUND = 'PROOF_OF_REFUND'
/** Evidence without its own type: one compiled PDF, or several documents in numbered places. */
export const REST = ['OTHER', 'OTHER.2', 'OTHER.3', 'OTHER.4', 'OTHER.5']
/** Types that require tracking. */
export const TRACKED: readonly string[] = [FULFILLMENT, 'PROOF_OF_RETURN']
/** Maximum number of parcels and refunds per piece of evidence, and characters per id. */
export const MAX_IDS = { tracking_number: 10, refund_ids: 100 } as const
export const ID_LENGTH = 255

/** Comma-separated ids. */
export function idsOf(text: string | undefined): string[] {
  const ids = (text ?? '').split(',').map((id) => id.trim())
  return ids.filter((id) => id !== '')
}

/** Characters reserved in `notes` for the mark that identifies a submission. */
export const NOTES = 1950
const TRACKING = { carrier_name: 255, tracking_number: 2000, tracking_url: 2000 }
const TEXT_FIELDS = { notes: NOTES, ...TRACKING, refund_ids: 4000 }
export type TextField = keyof typeof TEXT_FIELDS

/**
 * PayPal's page says below 10 MB each and 50 MB per call; an older one said half. Smaller is safer, but not required.
 */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png', 'image/gif'],
  maxFileBytes: 10 * MEGABYTE - 1,
  maxTotalBytes: 50 * MEGABYTE,
  maxFiles: 2 + REST.length,
  maxPages: null,
  fileFields: [FULFILLMENT, REFUND, ...REST],
  textFields: TEXT_FIELDS,
  maxTextCharacters: 20_000,
}

/** Equivalent data points of the service; a data point with PayPal's field name takes precedence. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  carrier_name: ['shippingCarrier'],
  tracking_number: ['shippingTrackingNumber'],
  refund_ids: ['refundId'],
}

/** What fills PayPal's text fields: all that has no field of its own is in the notes. */
export const TEXT_FACTS: FieldTable<TextField> = {
  notes: [{ summary: NOTES }],
  carrier_name: [{ fact: 'shippingCarrier' }],
  tracking_number: [{ ids: 'shippingTrackingNumber', count: MAX_IDS.tracking_number, each: ID_LENGTH }],
  refund_ids: [{ ids: 'refundId', count: MAX_IDS.refund_ids, each: ID_LENGTH }],
}

/** The call that accepts evidence now; each has its own link, which depends on the state. */
export type Route = 'provide-evidence' | 'provide-supporting-info' | 'appeal'

export function routeOf(dispute: unknown): Route | null {
  const actions = actionsOf(dispute)
  if (actions.has('provide_evidence')) return 'provide-evidence'
  if (actions.has('provide_supporting_info')) return 'provide-supporting-info'
  return actions.has('appeal') ? 'appeal' : null
}

/** PayPal's requests to the seller, newest first. */
export function requestedOf(dispute: unknown): Record<string, unknown>[] {
  return listAt(dispute, 'evidences')
    .filter((evidence) => evidence.source === 'REQUESTED_FROM_SELLER')
    .sort((a, b) => (timeAt(b, 'date') ?? 0) - (timeAt(a, 'date') ?? 0))
}

export function requestedTypes(dispute: unknown): string[] {
  const types = requestedOf(dispute).map((evidence) => evidence.evidence_type)
  return [...new Set(types.filter((type) => typeof type === 'string' && /^[0-9A-Z_]{1,255}$/.test(type)))] as string[]
}

/** The current requirements of a dispute. */
export function requirementsOf(dispute: unknown, now: Date): EvidenceRequirements {
  const route = routeOf(dispute)
  const due = timeAt(dispute, 'seller_response_due_date')
  const reason = route === null ? closedReason(dispute) : overdue(route, due, now)
  const rest = { answerable: reason === null, reason, dueDate: due === null ? null : new Date(due).toISOString() }
  if (route === 'provide-supporting-info') {
    const one = { fileFields: ['OTHER'], maxFiles: 1, textFields: { notes: NOTES } }
    return { ...EVIDENCE_LIMITS, ...one, ...rest, oneShot: false }
  }
  const types = requestedTypes(dispute).filter((type) => !REST.includes(type))
  const fulfillment = takesFulfillment(dispute, types)
  const tracked = fulfillment || types.some((type) => TRACKED.includes(type))
  const named = [...new Set([...types, ...(fulfillment ? [FULFILLMENT] : []), REFUND])]
  return {
    ...EVIDENCE_LIMITS,
    ...rest,
    fileFields: [...named, ...REST],
    maxFiles: named.length + REST.length,
    textFields: { notes: NOTES, ...(tracked && TRACKING), refund_ids: 4000 },
    // PayPal may ask again, but accepts one answer each time.
    oneShot: true,
  }
}

/** By reason (PayPal docs, Provide evidence), or because PayPal requests it. */
function takesFulfillment(dispute: unknown, requested: readonly string[]): boolean {
  const reason = at(dispute, 'reason')
  return (
    reason === 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' || reason === 'UNAUTHORISED' || requested.includes(FULFILLMENT)
  )
}

function overdue(route: Route, due: number | null, now: Date): string | null {
  if (route !== 'provide-evidence' || due === null || due > now.getTime()) return null
  return 'The due date has passed.'
}

/** Why the dispute can't be contested, for the merchant. */
export function closedReason(dispute: unknown): string {
  switch (at(dispute, 'status')) {
    case 'RESOLVED':
      return 'PayPal has closed the dispute: it takes no evidence any more.'
    case 'UNDER_REVIEW':
      return 'PayPal has the dispute under review: it asks for no further evidence.'
    case 'WAITING_FOR_BUYER_RESPONSE':
      return 'PayPal waits for the buyer: it asks for no evidence now.'
    case 'OPEN':
      return 'PayPal asks for no evidence in this inquiry: answer the buyer at PayPal, or accept it.'
    default:
      return 'PayPal asks for no evidence in the present state of this dispute.'
  }
}
