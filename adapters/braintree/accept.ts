import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { BraintreeClient } from './client.ts'
import { unanswered } from './errors.ts'
import { guardReference, readDispute } from './fetch.ts'
import { Refusal, STATE_CODES } from './refusals.ts'
import { ACCEPTED, OPEN, pspStatusOf } from './vocabulary.ts'

/** Any kind can be accepted while it is open; what RDR refunded never is. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['inquiry', 'chargeback', 'second_chargeback']

/** What the status of a dispute says about conceding it. A status that Braintree adds one day is unknown. */
export type Concession = 'possible' | 'conceded' | 'too_late' | 'unknown'

export function concessionOf(status: string): Concession {
  if (status === OPEN) return 'possible'
  if (status === ACCEPTED) return 'conceded'
  return pspStatusOf(status) === 'unknown' ? 'unknown' : 'too_late'
}

/**
 * Concedes the dispute: irreversible. Braintree takes no idempotency key, so that only looking before and after each
 * attempt keeps it from being sent twice; its answer may be the dispute, one space or nothing, and is never relied on.
 * @throws PspError rejected_final when it can't be conceded any more, outcome_unknown when Braintree didn't say
 */
export async function acceptDispute(client: BraintreeClient, request: WriteRequest): Promise<Receipt> {
  const reference = guardReference(request.reference)
  const before = await standing(client, reference)
  if (before !== null) return before
  try {
    await client.act((gateway) => gateway.dispute.accept(reference))
  } catch (error) {
    if (!(error instanceof Refusal) || !error.has(STATE_CODES)) throw error
    const after = await standing(client, reference)
    if (after !== null) return after
    throw error
  }
  // A 200 may be a balancer's: only what can be read there was applied. Still open, it may be sent again.
  const { status } = await confirmed(client, reference)
  if (concessionOf(status) !== 'conceded') throw unanswered('write')
  return { result: 'applied', requestId: null }
}

/** The dispute after a write that was taken. @throws PspError outcome_unknown when it can't be read */
export async function confirmed(client: BraintreeClient, reference: string) {
  try {
    return await readDispute(client, reference)
  } catch (error) {
    if (error instanceof PspError) throw unanswered('write')
    throw error
  }
}

/** A receipt when nothing is left to do, null when the dispute can be conceded. @throws PspError when it never can */
async function standing(client: BraintreeClient, reference: string): Promise<Receipt | null> {
  const { status } = await readDispute(client, reference)
  const concession = concessionOf(status)
  if (concession === 'possible') return null
  if (concession === 'conceded') return { result: 'already_applied', requestId: null }
  if (concession === 'too_late') throw new PspError('rejected_final', tooLate(status))
  throw new PspError('invalid_request', 'Braintree has this dispute in a status that this version does not know.')
}

/** Why a dispute can't be answered any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'disputed':
      return 'The answer to this dispute went out (status disputed): Braintree takes no other one.'
    case 'under_review':
      return 'Braintree has the dispute under review: it takes no answer.'
    case 'won':
      return 'Braintree reports the dispute as won: there is nothing left to give up or to contest.'
    case 'accepted':
      return 'The dispute was accepted at Braintree: it takes no answer any more.'
    case 'auto_accepted':
      return 'Nobody answered before the reply-by date, so that Braintree accepted the dispute (auto_accepted).'
    case 'expired':
      return 'The reply-by date has passed (status expired): Braintree takes no answer any more.'
    default:
      return 'Braintree reports the dispute as lost: it takes no answer any more.'
  }
}
