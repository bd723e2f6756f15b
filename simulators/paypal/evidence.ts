import { carrierOf } from '../../adapters/paypal/documents/carriers.ts'
import type { JsonObject } from '../engine/contract.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid } from './errors.ts'

const FIELDS = ['evidence_type', 'notes', 'item_id', 'documents', 'evidence_info']
/** Reasons for which PayPal accepts a proof of fulfillment without requesting it. */
const FULFILLABLE = ['MERCHANDISE_OR_SERVICE_NOT_RECEIVED', 'UNAUTHORISED']

/** The evidence items of a submission, with PayPal's validation. @throws PayPalRefusal 400 */
export function readEvidences({ input, form }: PayPalRequest, dispute: JsonObject): JsonObject[] {
  const root = input as JsonObject | undefined
  const evidences = root?.evidences
  if (!Array.isArray(evidences) || Object.keys(root ?? {}).length !== 1) throw invalid('INVALID_BODY', '/input')
  if (evidences.length < 1 || evidences.length > 100) throw invalid('INVALID_ARRAY_LENGTH', '/evidences')
  const named: string[] = []
  evidences.forEach((entry, index) => {
    const field = `/evidences/${index}`
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw invalid('INVALID_BODY', field)
    for (const name of Object.keys(entry)) {
      if (!FIELDS.includes(name)) throw invalid('UNKNOWN_FIELD', `${field}/${name}`)
    }
    if (evidences.length > 1 && entry.item_id === undefined) {
      throw invalid('ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES', field)
    }
    checkType(entry, dispute, field)
    if (entry.notes !== undefined) readNotes(entry.notes)
    for (const document of Array.isArray(entry.documents) ? entry.documents : []) {
      named.push(String((document as JsonObject | null)?.name))
    }
  })
  const sent = (form?.files ?? []).map((file) => file.name)
  // Every file belongs to a piece of evidence, and every name to a file.
  if (named.sort().join('\n') !== sent.sort().join('\n')) throw invalid('INVALID_EVIDENCE_FILE', '/evidences')
  return evidences as JsonObject[]
}

/** @throws PayPalRefusal 400 unless it is a text of 1 to 2000 characters */
export function readNotes(notes: unknown): string {
  if (typeof notes !== 'string' || notes.length < 1 || notes.length > 2000) throw invalid('INVALID_NOTES', '/notes')
  return notes
}

function checkType(evidence: JsonObject, dispute: JsonObject, field: string): void {
  const { evidence_type: type } = evidence
  if (typeof type !== 'string' || !/^[0-9A-Z_]{1,255}$/.test(type)) throw invalid('MISSING_EVIDENCE_TYPE', field)
  const info = (evidence.evidence_info ?? {}) as JsonObject
  const empty = evidence.notes === undefined && evidence.documents === undefined && Object.keys(info).length === 0
  if (empty) throw invalid('MISSING_EVIDENCE_INFO', field)
  if (type === 'PROOF_OF_FULFILLMENT') {
    if (!fulfillable(dispute)) throw invalid('INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT', field)
    checkTracking(info.tracking_info, field)
  }
  if (type === 'PROOF_OF_RETURN') checkTracking(info.tracking_info, field)
  const refunds = info.refund_ids
  if (type === 'PROOF_OF_REFUND' && !(Array.isArray(refunds) && refunds.length > 0)) {
    throw invalid('MISSING_REFUND_ID', field)
  }
}

function fulfillable(dispute: JsonObject): boolean {
  const asked = Array.isArray(dispute.evidences) ? dispute.evidences : []
  return (
    FULFILLABLE.includes(String(dispute.reason)) ||
    asked.some((entry) => (entry as JsonObject | null)?.evidence_type === 'PROOF_OF_FULFILLMENT')
  )
}

function checkTracking(tracking: unknown, field: string): void {
  const entries = Array.isArray(tracking) ? (tracking as JsonObject[]) : []
  if (entries.length < 1 || entries.length > 10) throw invalid('MISSING_TRACKING_INFO', field)
  for (const { carrier_name: carrier, carrier_name_other: other, tracking_number: number } of entries) {
    const known = typeof carrier === 'string' && carrierOf(carrier).carrier_name === carrier
    if (!known || typeof number !== 'string' || number === '') throw invalid('MISSING_TRACKING_INFO', field)
    if (carrier === 'OTHER' && (typeof other !== 'string' || other === ''))
      throw invalid('MISSING_TRACKING_INFO', field)
  }
}
