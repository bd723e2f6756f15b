import type { SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { APPEAL_REASON, CLEARED } from './evidence-limits.ts'
import type { ReadDispute } from './fetch.ts'

/** What lies on a dispute at Stripe that keeps evidence of ours from going out. */

/**
 * Whatever lies staged at Stripe goes out with a submission. Before staging, what carries a mark is an earlier packet's,
 * which staging takes away; with our mark on it, everything has to be ours. Nothing of two parties may meet in one answer.
 * @throws PspError rejected_final where somebody else has put evidence there
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

/** An appeal sends only its own part; what was submitted before still stands beside it. */
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
 * The network charges for contesting a compliance dispute (Visa 500 USD, returned on a win). Only the merchant commits to
 * that: where Stripe refuses evidence for want of it, the sentence says so.
 */
export function namingTheFee(error: unknown, { raw }: ReadDispute): unknown {
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
