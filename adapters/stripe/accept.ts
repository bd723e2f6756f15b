import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { StripeClient } from './client.ts'
import { type Expansion, guardReference, readDispute } from './fetch.ts'
import { ANSWERABLE } from './vocabulary.ts'

/**
 * Where `close` concedes. Stripe's own sample closes an inquiry, so inquiries are in; a refund, which would be the
 * cheaper concession of an inquiry, is the merchant's to make and never made here.
 */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['inquiry', 'claim', 'chargeback', 'second_chargeback']

/** What the status of a dispute says about conceding it. */
export type Concession = 'possible' | 'conceded' | 'too_late' | 'unknown'

/**
 * `lost` is the end that conceding leads to, however it was reached; an inquiry that was closed is over likewise.
 * A status that Stripe adds one day is unknown, and nothing is closed on a guess.
 */
export function concessionOf(status: string): Concession {
  if (ANSWERABLE.includes(status)) return 'possible'
  if (status === 'lost' || status === 'warning_closed') return 'conceded'
  const decided = ['won', 'prevented', 'under_review', 'warning_under_review', 'appeal_under_review']
  return decided.includes(status) ? 'too_late' : 'unknown'
}

/**
 * Closes the dispute at Stripe: irreversible, needs_response → lost. Looks first, and looks again after a refusal,
 * because Stripe has no code of its own for "closed already".
 * @throws PspError rejected_final when it can't be conceded any more, outcome_unknown when Stripe didn't say
 */
export async function acceptDispute(
  client: StripeClient,
  expansion: Expansion,
  request: WriteRequest,
): Promise<Receipt> {
  const reference = guardReference(request.reference)
  const before = await standing(client, expansion, reference)
  if (before !== null) return before
  try {
    const answer = await client.write('dispute', request.idempotencyKey, (sdk, options) =>
      sdk.disputes.close(reference, {}, options),
    )
    const closed = answer.value.id === reference && concessionOf(answer.value.status) === 'conceded'
    return { result: closed ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'invalid_request') throw error
    const after = await standing(client, expansion, reference)
    if (after !== null) return after
    throw error
  }
}

/** A receipt when nothing is left to do, null when the dispute can be conceded. @throws PspError when it never can */
async function standing(client: StripeClient, expansion: Expansion, reference: string): Promise<Receipt | null> {
  const { status } = await readDispute(client, expansion, reference)
  const concession = concessionOf(status)
  if (concession === 'possible') return null
  if (concession === 'conceded') return { result: 'already_applied', requestId: null }
  if (concession === 'too_late') throw new PspError('rejected_final', tooLate(status))
  throw new PspError('invalid_request', tooLate(status))
}

/** Why a dispute can't be answered any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'won':
      return 'Stripe reports the dispute as won: there is nothing left to give up or to contest.'
    case 'prevented':
      return 'The dispute was prevented before it became a chargeback: there is nothing left to answer.'
    case 'warning_closed':
      return 'The inquiry is closed: there is nothing left to answer.'
    case 'lost':
      return 'Stripe reports the dispute as lost: it takes no answer any more.'
    default:
      return status.endsWith('under_review')
        ? 'Stripe has the dispute under review: it takes no further answer.'
        : 'Stripe has this dispute in a status that this version does not know.'
  }
}
