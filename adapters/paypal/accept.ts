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

/** Where PayPal may offer `accept_claim`; whether it does is in the links of each dispute. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = [
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]

/** Required by PayPal, read by the buyer and by PayPal. */
const NOTE = 'We accept this claim and refund it in full.'

/**
 * `accepted`: PayPal itself says that the seller gave in. `lost`: resolved for the buyer, and PayPal does not say whether
 * by an acceptance. `not_offered`: not now, also while an acceptance is being worked on.
 */
export type Concession =
  | { state: 'possible' }
  | { state: 'accepted' }
  | { state: 'lost' | 'not_offered' | 'too_late'; why: string }

const LOST = 'PayPal has decided the dispute for the buyer: there was nothing left to accept.'
/** Reasons of an adjudication by which PayPal says that the seller gave in (published specification 1.10). */
const AGREED = /^SELLER_(AGREED|ISSUED)_/
/** And those by which it says that the seller did not. */
const UNANSWERED = /^(NO_SELLER_RESPONSE|SELLER_NOT_REACHABLE|SELLER_REFUSED_)/

/** What a dispute's detail says about conceding it. */
export function concessionOf(dispute: unknown): Concession {
  const state = at(dispute, 'dispute_state')
  const resolved = at(dispute, 'status') === 'RESOLVED' || state === 'RESOLVED' || state === 'APPEALABLE'
  const code = at(dispute, 'dispute_outcome.outcome_code')
  const outcome = typeof code === 'string' ? outcomeCode(code) : ''
  // A reopened dispute may still carry the outcome of its first round.
  if (resolved && outcome === 'ACCEPTED') return { state: 'accepted' }
  if (resolved && outcome === 'RESOLVED_BUYER_FAVOUR') return closedForBuyer(dispute)
  if (resolved && outcome === '') return { state: 'not_offered', why: 'PayPal has closed the dispute, not saying how.' }
  if (resolved) return { state: 'too_late', why: 'PayPal has closed the dispute: there is nothing left to give up.' }
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

/** By the latest adjudication since PayPal asked last, where it gives a reason. */
function closedForBuyer(dispute: unknown): Concession {
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
 * Concedes with a full refund, which PayPal pays to the buyer by itself: no amount is sent, for a lower one would only
 * be an offer. Looks first, and looks again after a refusal. PayPal promises no idempotency here.
 * @throws PspError rejected_final when it can't be conceded (any more), outcome_unknown when PayPal didn't say
 */
export async function acceptDispute(client: PayPalClient, request: WriteRequest): Promise<Receipt> {
  const { reference, idempotencyKey } = request
  const before = concessionOf((await readDispute(client, reference)).object)
  if (before.state === 'accepted') return { result: 'already_applied', requestId: null }
  // Lost before this call: if an earlier one of ours did it, the probe knows that there was one.
  if (before.state !== 'possible') throw new PspError('rejected_final', before.why)
  const body = jsonBody({ note: NOTE, accept_claim_type: 'REFUND' })
  try {
    const answer = await client.write(disputePath(reference, 'accept-claim'), idempotencyKey, body)
    // The answer has links only: what became of it is in the detail.
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

/** Null also when it can't be read: the write was answered, and its receipt must not depend on a read. */
async function concessionAfter(client: PayPalClient, reference: string): Promise<Concession | null> {
  try {
    return concessionOf((await readDispute(client, reference)).object)
  } catch (error) {
    if (error instanceof PspError) return null
    throw error
  }
}

/** The status word for the operator; never another text of PayPal's. */
export function statusWord(dispute: unknown): string {
  try {
    return textAt(dispute, 'status', 40) ?? '(none)'
  } catch {
    return '(none)'
  }
}
