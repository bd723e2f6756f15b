import type { SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { APPEAL_REASON, CLEARED } from './evidence-limits.ts'
import type { ReadDispute } from './fetch.ts'

/** Conditions of a dispute at Stripe that prevent Recoup's submission. */

/**
 * Rejects foreign evidence, because Stripe sends everything staged. Before staging, marked evidence is an earlier
 * packet's, which staging clears; with Recoup's mark, all evidence must be Recoup's.
 * @throws PspError rejected_final when somebody else has staged evidence
 */
export function refuseForeign({ raw, evidenceDigest }: ReadDispute, request: SubmissionRequest, staged: boolean): void {
  const dispute: unknown = JSON.parse(raw.text)
  if (staged && evidenceDigest !== null && evidenceDigest !== request.digest)
    throw new PspError('rejected_final', OTHERS)
  const unmarked = evidenceDigest === null && at(dispute, 'evidence_details.has_evidence') === true
  if (!unmarked && evidenceDigest !== request.digest) return
  if (foreignIn(dispute, { ...request.texts, ...request.files })) throw new PspError('rejected_final', OTHERS)
}

const OTHERS =
  'Somebody else has put evidence on this dispute at Stripe, which would go out with this one: nothing was sent. ' +
  'Submit it at Stripe, or take it away there and request this again.'

/** An appeal sends only its own part; evidence submitted before stays next to it. */
function foreignIn(dispute: unknown, ours: Readonly<Record<string, string>>): boolean {
  if (at(dispute, 'status') !== 'appeal_needs_response') {
    return CLEARED.some((field) => Boolean(at(dispute, `evidence.${field}`)) && ours[field] === undefined)
  }
  const files = at(dispute, 'evidence.appeal.card.supporting_files')
  const known = Object.values(ours)
  const foreign =
    Array.isArray(files) && files.some((file) => !known.includes(typeof file === 'string' ? file : file?.id))
  return (
    foreign || (Boolean(at(dispute, 'evidence.appeal.card.reason_for_filing')) && ours[APPEAL_REASON] === undefined)
  )
}

/**
 * The network charges for contesting a compliance dispute (Visa 500 USD, returned after a win). Only the merchant can
 * agree to that; when Stripe refuses evidence for this reason, the error says so.
 */
export function withFeeHint(error: unknown, { raw }: ReadDispute): unknown {
  if (!(error instanceof PspError) || error.kind !== 'invalid_request') return error
  const eligibility: unknown = at(JSON.parse(raw.text), 'evidence_details.enhanced_eligibility')
  const demanded = ['visa_compliance', 'mastercard_compliance'].some(
    (scheme) => at(eligibility, `${scheme}.status`) === 'requires_fee_acknowledgement',
  )
  if (!demanded) return error
  const sentence =
    'Stripe refused the evidence: the network charges a fee for contesting a compliance dispute. Acknowledge it at Stripe, then request this again.'
  return new PspError('rejected_final', sentence)
}
