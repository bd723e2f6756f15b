import type Stripe from 'stripe'
import type { DisputeRecord } from '../engine/contract.ts'
import { disputeText, recordOf } from './disputes.ts'
import type { StripeRequest } from './endpoint.ts'
import { badParameter, refusedByState, StripeRefusal } from './errors.ts'
import { stageEvidence } from './evidence-fields.ts'
import { checkPages, describeSubmission } from './evidence-pages.ts'
import { expandPaths } from './expand.ts'
import { asDispute, isWaiting, markSubmitted } from './lifecycle.ts'
import { type Parameters, textOf } from './parameters.ts'

/** Seconds until the sandbox decides by `winning_evidence` and `losing_evidence`. */
const DECIDES_AFTER = 3

/**
 * POST /v1/disputes/{id}. `submit` defaults to true, also when only metadata is sent: what was staged is submitted
 * then. With `submit=false` the evidence is only staged.
 */
export function updateDispute(request: StripeRequest): string {
  const { engine, parameters } = request
  const record = recordOf(request)
  const draft = asDispute(engine.read(record))
  const { evidence } = parameters
  const touched = evidence !== undefined && evidence !== '' && Object.keys(evidence).length > 0
  const submit = textOf(parameters, 'submit')

  if (touched || submit === 'true') demandAnswerable(draft, engine.now())
  if (touched) stageEvidence(request, draft, evidence as Parameters)
  applyMetadata(draft, parameters.metadata)
  applyMethod(draft, textOf(parameters, 'intended_submission_method'))
  const submits =
    submit !== 'false' && isWaiting(draft) && hasSomething(draft) && (touched || mayAnswer(draft, engine.now()))
  if (submit === 'true' && !submits) throw refusedByState('There is no evidence to submit on this dispute.')
  if (touched || submits) checkPages(request, draft)
  if (submits) markSubmitted(draft, 'manual')

  engine.change(record, (object) => void Object.assign(object, draft))
  if (submits) recordSubmission(request, record, draft, submit === undefined)
  return disputeText(request, record, expandPaths(request, false))
}

function mayAnswer(dispute: Stripe.Dispute, now: number): boolean {
  const { due_by, past_due, submission_count } = dispute.evidence_details
  if (!isWaiting(dispute) || past_due || !due_by || due_by <= now) return false
  return submission_count === 0 || dispute.status !== 'warning_needs_response'
}

function demandAnswerable(dispute: Stripe.Dispute, now: number): void {
  if (mayAnswer(dispute, now)) return
  const { due_by, submission_count } = dispute.evidence_details
  if (submission_count > 0) throw refusedByState('Evidence has already been submitted for this dispute.')
  if (!due_by) throw refusedByState('The bank does not take a response for this dispute.')
  throw refusedByState(`This dispute is ${dispute.status} and can no longer take evidence.`)
}

function hasSomething(dispute: Stripe.Dispute): boolean {
  if (dispute.status === 'appeal_needs_response') {
    const card = dispute.evidence.appeal?.card
    return Boolean(card?.reason_for_filing || card?.supporting_files?.length)
  }
  return dispute.evidence_details.has_evidence
}

/** An empty value removes a key, an empty map all of them. Limits: 50 keys of 40 characters, values of 500. */
function applyMetadata(dispute: Stripe.Dispute, metadata: Parameters | string | undefined): void {
  if (metadata === undefined) return
  if (typeof metadata === 'string') {
    dispute.metadata = {}
    return
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') continue
    if (name.length > 40 || value.length > 500) {
      throw badParameter(`metadata[${name}]`, 'Metadata keys may have 40 characters and values 500.')
    }
    if (value === '') delete dispute.metadata[name]
    else dispute.metadata[name] = value
  }
  if (Object.keys(dispute.metadata).length > 50) throw badParameter('metadata', 'Metadata may have at most 50 keys.')
}

function applyMethod(dispute: Stripe.Dispute, method: string | undefined): void {
  if (method === undefined) return
  const available = dispute.payment_method_details?.type === 'card' && !dispute.status.startsWith('warning_')
  if (!available && method !== 'manual') {
    throw new StripeRefusal(400, {
      type: 'invalid_request_error',
      code: 'smart_disputes_not_available',
      param: 'intended_submission_method',
      message: 'Smart Disputes is not available for this dispute.',
    })
  }
  dispute.intended_submission_method = method as Stripe.Dispute.IntendedSubmissionMethod
}

function recordSubmission(
  request: StripeRequest,
  record: DisputeRecord,
  dispute: Stripe.Dispute,
  byDefault: boolean,
): void {
  const { engine, account, idempotencyKey, requestId } = request
  engine.ledger.effect({
    kind: 'submission',
    account: account.id,
    ref: record.reference,
    round: record.round,
    idempotencyKey,
    requestId,
    details: { byDefault, metadata: dispute.metadata, ...describeSubmission(request, dispute) },
  })
  const text = dispute.evidence.uncategorized_text
  if (text !== 'winning_evidence' && text !== 'losing_evidence') return
  const outcome = text === 'winning_evidence' ? 'won' : 'lost'
  engine.setPending(record, { at: engine.now() + DECIDES_AFTER, outcome })
}
