import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at, textAt } from '../facts.ts'
import type { PayPalClient } from './client.ts'
import { disputePath, readDispute } from './fetch.ts'
import { actionsOf } from './links.ts'
import { jsonBody } from './multipart.ts'
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

/** `not_offered`: not now, and PayPal doesn't say for good. It is so, too, while an acceptance is being worked on. */
export type Concession =
  | { state: 'possible' }
  | { state: 'conceded' }
  | { state: 'not_offered' | 'too_late'; why: string }

/** What a dispute's detail says about conceding it. */
export function concessionOf(dispute: unknown): Concession {
  const state = at(dispute, 'dispute_state')
  const resolved = at(dispute, 'status') === 'RESOLVED' || state === 'RESOLVED' || state === 'APPEALABLE'
  const code = at(dispute, 'dispute_outcome.outcome_code')
  const outcome = typeof code === 'string' ? outcomeCode(code) : ''
  // A reopened dispute may still carry the outcome of its first round.
  if (resolved && (outcome === 'RESOLVED_BUYER_FAVOUR' || outcome === 'ACCEPTED')) return { state: 'conceded' }
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

/**
 * Concedes with a full refund, which PayPal pays to the buyer by itself: no amount is sent, for a lower one would only
 * be an offer. Looks first, and looks again after a refusal. PayPal promises no idempotency here.
 * @throws PspError rejected_final when it can't be conceded (any more), outcome_unknown when PayPal didn't say
 */
export async function acceptDispute(client: PayPalClient, request: WriteRequest): Promise<Receipt> {
  const { reference, idempotencyKey } = request
  const before = await concession(client, reference)
  if (before.state === 'conceded') return { result: 'already_applied', requestId: null }
  if (before.state !== 'possible') throw new PspError('rejected_final', before.why)
  const body = jsonBody({ note: NOTE, accept_claim_type: 'REFUND' })
  try {
    const answer = await client.write(disputePath(reference, 'accept-claim'), idempotencyKey, body)
    // The answer has links only: what became of it is in the detail.
    return { result: (await conceded(client, reference)) ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    const refused = error instanceof PspError && ['rejected_final', 'invalid_request'].includes(error.kind)
    if (refused && (await conceded(client, reference))) return { result: 'already_applied', requestId: null }
    throw error
  }
}

async function concession(client: PayPalClient, reference: string): Promise<Concession> {
  return concessionOf((await readDispute(client, reference)).object)
}

/** False also when it can't be read: the write was answered, and its receipt must not depend on a read. */
async function conceded(client: PayPalClient, reference: string): Promise<boolean> {
  try {
    return (await concession(client, reference)).state === 'conceded'
  } catch (error) {
    if (error instanceof PspError) return false
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
