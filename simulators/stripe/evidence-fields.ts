import type Stripe from 'stripe'
import { stageCompellingEvidence } from './compelling.ts'
import type { StripeRequest } from './endpoint.ts'
import { badParameter, missingReference, refusedByState } from './errors.ts'
import { type Parameters, textOf, textsOf } from './parameters.ts'
import { FILE_FIELDS, TEXT_FIELDS } from './specs.ts'

/** Characters over all text fields. */
const ALL_TEXT = 150_000

/** Sets the given evidence fields on the dispute; an empty text clears one. @throws StripeRefusal 400 */
export function stageEvidence(request: StripeRequest, dispute: Stripe.Dispute, evidence: Parameters): void {
  const names = Object.keys(evidence)
  const appealing = dispute.status === 'appeal_needs_response'
  if (appealing && names.some((name) => name !== 'appeal')) {
    throw refusedByState('Only evidence.appeal can be updated while a dispute is being appealed.')
  }
  if (!appealing && names.includes('appeal')) throw refusedByState('This dispute cannot be appealed.')
  const target = dispute.evidence as unknown as Record<string, unknown>
  for (const name of FILE_FIELDS) {
    const id = textOf(evidence, name)
    if (id === undefined) continue
    if (id !== '') demandFile(request, id, `evidence[${name}]`)
    target[name] = id === '' ? null : id
  }
  for (const [name, most] of Object.entries(TEXT_FIELDS)) {
    const text = textOf(evidence, name)
    if (text === undefined) continue
    if (text.length > most) {
      throw badParameter(`evidence[${name}]`, `${name} may have at most ${most} characters`, 'parameter_invalid_string')
    }
    target[name] = text === '' ? null : text
  }
  const { appeal, enhanced_evidence: enhanced } = evidence
  if (appeal !== undefined) dispute.evidence.appeal = appealOf(request, dispute, appeal)
  if (enhanced !== undefined) stageEnhanced(request, dispute, enhanced)

  if (textLength(dispute) > ALL_TEXT) throw badParameter('evidence', `Evidence may have at most ${ALL_TEXT} characters`)
  dispute.evidence_details.has_evidence = isFilled(dispute)
}

/** Characters of all text fields together. */
export function textLength(dispute: Stripe.Dispute): number {
  const evidence = dispute.evidence as unknown as Record<string, unknown>
  return Object.keys(TEXT_FIELDS).reduce((sum, name) => sum + String(evidence[name] ?? '').length, 0)
}

/** Whether there is evidence other than what Stripe filled in. */
function isFilled({ evidence }: Stripe.Dispute): boolean {
  const prefilled = ['customer_email_address', 'customer_name', 'customer_purchase_ip']
  const fields = evidence as unknown as Record<string, unknown>
  const card = evidence.appeal?.card
  return (
    [...FILE_FIELDS, ...Object.keys(TEXT_FIELDS)].some((name) => !prefilled.includes(name) && fields[name]) ||
    Boolean(card?.reason_for_filing || card?.supporting_files?.length) ||
    Object.keys(evidence.enhanced_evidence).length > 0
  )
}

function demandFile({ account }: StripeRequest, id: string, param: string): void {
  const file = account.fileById.get(id)
  if (!file) throw missingReference('file upload', id, param)
  if (file.purpose !== 'dispute_evidence') {
    throw badParameter(param, `File '${id}' has the purpose ${file.purpose}; evidence needs dispute_evidence.`)
  }
}

function appealOf(
  request: StripeRequest,
  dispute: Stripe.Dispute,
  appeal: Parameters | string,
): Stripe.Dispute.Evidence.Appeal {
  const given = typeof appeal === 'string' ? '' : appeal.card
  if (given === undefined || typeof given === 'string') return { card: {} }
  const card = { ...dispute.evidence.appeal?.card }
  const reason = textOf(given, 'reason_for_filing')
  if (reason !== undefined) card.reason_for_filing = reason
  if (given.supporting_files !== undefined) {
    card.supporting_files = textsOf(given, 'supporting_files')
    card.supporting_files.forEach((id, index) => {
      demandFile(request, id, `evidence[appeal][card][supporting_files][${index}]`)
    })
  }
  return { card }
}

function stageEnhanced(request: StripeRequest, dispute: Stripe.Dispute, enhanced: Parameters | string): void {
  const { evidence, evidence_details: details } = dispute
  if (typeof enhanced === 'string') {
    evidence.enhanced_evidence = {}
    return
  }
  for (const scheme of ['visa_compliance', 'mastercard_compliance'] as const) {
    const given = enhanced[scheme]
    if (typeof given !== 'object') continue
    const acknowledged = textOf(given, 'fee_acknowledged') === 'true'
    if (details.enhanced_eligibility[scheme] === undefined) {
      throw refusedByState(`This dispute is not eligible for ${scheme}.`)
    }
    evidence.enhanced_evidence[scheme] = { fee_acknowledged: acknowledged }
    if (acknowledged) details.enhanced_eligibility[scheme] = { status: 'fee_acknowledged' }
  }
  const ce3 = enhanced.visa_compelling_evidence_3
  if (typeof ce3 === 'object') stageCompellingEvidence(request, dispute, ce3)
}
