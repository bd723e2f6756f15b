import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { BraintreeClient } from './client.ts'
import { noResponse } from './errors.ts'
import { guardReference, readDispute } from './fetch.ts'
import { Refusal, STATE_CODES } from './refusals.ts'
import { ACCEPTED, OPEN, pspStatusOf } from './vocabulary.ts'

/** Every kind can be accepted while it is open; a dispute refunded by RDR never. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['inquiry', 'chargeback', 'second_chargeback']

/** Whether a dispute can be accepted, by its status. An unknown status counts as unknown. */
export type Acceptability = 'possible' | 'accepted' | 'too_late' | 'unknown'

export function acceptabilityOf(status: string): Acceptability {
  if (status === OPEN) return 'possible'
  if (status === ACCEPTED) return 'accepted'
  return pspStatusOf(status) === 'unknown' ? 'unknown' : 'too_late'
}

/**
 * Accepts the dispute: irreversible. Braintree has no idempotency key, so reads before and after each attempt prevent a
 * second call. Its response may be the dispute, one space or nothing, and is ignored.
 * @throws PspError rejected_final when it can't be accepted any more, outcome_unknown when Braintree's response was
 * lost
 */
export async function acceptDispute(client: BraintreeClient, request: WriteRequest): Promise<Receipt> {
  const reference = guardReference(request.reference)
  const before = await currentReceipt(client, reference)
  if (before !== null) return before
  try {
    await client.act((gateway) => gateway.dispute.accept(reference))
  } catch (error) {
    if (!(error instanceof Refusal) || !error.has(STATE_CODES)) throw error
    const after = await currentReceipt(client, reference)
    if (after !== null) return after
    throw error
  }
  // A 200 may come from a load balancer: only a read proves the effect. If still open, it may be sent again.
  const { status } = await confirmed(client, reference)
  if (acceptabilityOf(status) !== 'accepted') throw noResponse('write')
  return { result: 'applied', requestId: null }
}

/** Reads the dispute after an accepted write. @throws PspError outcome_unknown when it can't be read */
export async function confirmed(client: BraintreeClient, reference: string) {
  try {
    return await readDispute(client, reference)
  } catch (error) {
    if (error instanceof PspError) throw noResponse('write')
    throw error
  }
}

/** A receipt when nothing is left to do, null when the dispute can be accepted. @throws PspError when it never can */
async function currentReceipt(client: BraintreeClient, reference: string): Promise<Receipt | null> {
  const { status } = await readDispute(client, reference)
  const acceptability = acceptabilityOf(status)
  if (acceptability === 'possible') return null
  if (acceptability === 'accepted') return { result: 'already_applied', requestId: null }
  if (acceptability === 'too_late') throw new PspError('rejected_final', tooLate(status))
  throw new PspError('invalid_request', 'Braintree has this dispute in a status that this version does not know.')
}

/** Why a dispute can't be contested any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'disputed':
      return 'The answer to this dispute went out (status disputed): Braintree takes no other one.'
    case 'under_review':
      return 'Braintree has the dispute under review: it takes no answer.'
    case 'won':
      return 'Braintree reports the dispute as won: it can no longer be accepted or contested.'
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
