import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at, listAt, textAt } from '../shared/facts.ts'
import type { PayPalClient } from './client.ts'
import { requestedOf } from './evidence-limits.ts'
import { timeAt } from './facts.ts'
import { disputePath, readDispute } from './fetch.ts'
import { actionsOf } from './links.ts'
import { jsonBody } from './sdk/multipart.ts'
import { outcomeCode } from './vocabulary.ts'

/** Stages in which PayPal may offer `accept_claim`; the links of each dispute say whether it does. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = [
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]

/** Required by PayPal; the buyer and PayPal read it. */
const NOTE = 'We accept this claim and refund it in full.'

/**
 * `accepted`: PayPal reports that the seller accepted. `lost`: resolved for the buyer, without a reported acceptance.
 * `not_offered`: not now, also while an acceptance is being processed.
 */
export type Acceptability =
  | { state: 'possible' }
  | { state: 'accepted' }
  | { state: 'lost' | 'not_offered' | 'too_late'; why: string }

const LOST = 'PayPal has decided the dispute for the buyer: it could no longer be accepted.'
/** Adjudication reasons that mean an acceptance by the seller (published specification 1.10). */
const AGREED = /^SELLER_(AGREED|ISSUED)_/
/** Adjudication reasons that exclude an acceptance by the seller. */
const UNANSWERED = /^(NO_SELLER_RESPONSE|SELLER_NOT_REACHABLE|SELLER_REFUSED_)/

/** Whether a dispute can be accepted, by its detail. */
export function acceptabilityOf(dispute: unknown): Acceptability {
  const state = at(dispute, 'dispute_state')
  const resolved = at(dispute, 'status') === 'RESOLVED' || state === 'RESOLVED' || state === 'APPEALABLE'
  const code = at(dispute, 'dispute_outcome.outcome_code')
  const outcome = typeof code === 'string' ? outcomeCode(code) : ''
  // A reopened dispute may still carry the outcome of its first round.
  if (resolved && outcome === 'ACCEPTED') return { state: 'accepted' }
  if (resolved && outcome === 'RESOLVED_BUYER_FAVOUR') return closedForBuyer(dispute)
  if (resolved && outcome === '') return { state: 'not_offered', why: 'PayPal has closed the dispute, not saying how.' }
  if (resolved) return { state: 'too_late', why: 'PayPal has closed the dispute: it can no longer be accepted.' }
  if (!actionsOf(dispute).has('accept_claim')) {
    return { state: 'not_offered', why: 'PayPal offers no acceptance in the present state of this dispute.' }
  }
  const types = at(dispute, 'allowed_response_options.accept_claim.accept_claim_types')
  if (Array.isArray(types) && !types.includes('REFUND')) {
    const why = 'PayPal takes no plain refund for this dispute. Accept it at PayPal, with a return of the goods.'
    return { state: 'not_offered', why }
  }
  return { state: 'possible' }
}

/** By the latest adjudication since PayPal's last request, if it has a reason. */
function closedForBuyer(dispute: unknown): Acceptability {
  const asked = timeAt(requestedOf(dispute)[0], 'date') ?? 0
  const [latest] = listAt(dispute, 'adjudications')
    .map((adjudication) => ({ ...adjudication, at: timeAt(adjudication, 'adjudication_time') ?? 0 }))
    .filter(({ at }) => at >= asked)
    .toSorted((a, b) => b.at - a.at)
  const reason = textAt({ ...latest }, 'reason') ?? ''
  if (AGREED.test(reason)) return { state: 'accepted' }
  return UNANSWERED.test(reason) ? { state: 'too_late', why: LOST } : { state: 'lost', why: LOST }
}

/**
 * Accepts with a full refund, which PayPal pays to the buyer: no amount is sent, because a lower one would only be an
 * offer. Reads before the call, and again after a refusal, because PayPal guarantees no idempotency here.
 * @throws PspError rejected_final when it can't be accepted (any more), outcome_unknown when PayPal's response was lost
 */
export async function acceptDispute(client: PayPalClient, request: WriteRequest): Promise<Receipt> {
  const { reference, idempotencyKey } = request
  const before = acceptabilityOf((await readDispute(client, reference)).object)
  if (before.state === 'accepted') return { result: 'already_applied', requestId: null }
  // Lost before this call: if an earlier call by Recoup caused it, the probe knows of that call.
  if (before.state !== 'possible') throw new PspError('rejected_final', before.why)
  const body = jsonBody({ note: NOTE, accept_claim_type: 'REFUND' })
  try {
    const answer = await client.write(disputePath(reference, 'accept-claim'), idempotencyKey, body)
    // The response has links only; the result is in the detail.
    const after = await concessionAfter(client, reference)
    const closed = after?.state === 'accepted' || after?.state === 'lost'
    return { result: closed ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || !['rejected_final', 'invalid_request'].includes(error.kind)) throw error
    const after = await concessionAfter(client, reference)
    if (after?.state === 'accepted') return { result: 'already_applied', requestId: null }
    if (after?.state === 'lost' || after?.state === 'too_late') throw new PspError('rejected_final', after.why)
    throw error
  }
}

/** Null also when it can't be read: the write has its response, and its receipt must not depend on a read. */
async function concessionAfter(client: PayPalClient, reference: string): Promise<Acceptability | null> {
  try {
    return acceptabilityOf((await readDispute(client, reference)).object)
  } catch (error) {
    if (error instanceof PspError) return null
    throw error
  }
}

/** The status for the operator; never another text of PayPal's. */
export function statusWord(dispute: unknown): string {
  try {
    return textAt(dispute, 'status', 40) ?? '(none)'
  } catch {
    return '(none)'
  }
}
