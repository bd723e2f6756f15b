import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { ProbeAnswer, Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { StripeClient } from './client.ts'
import { type Expansion, guardReference, type ReadDispute, readDispute } from './fetch.ts'
import { ANSWERABLE } from './vocabulary.ts'

/**
 * Stages in which `close` accepts a dispute. Stripe's own sample closes an inquiry, so inquiries are included. A refund
 * would end an inquiry more cheaply, but only the merchant makes refunds.
 */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['inquiry', 'claim', 'chargeback', 'second_chargeback', 'other']

/** Whether a dispute can be accepted, by its status. */
export type Acceptability = 'possible' | 'lost' | 'too_late' | 'unknown'

/**
 * `lost` is the result of an acceptance, as is a closed inquiry, but also of a decision of the bank or a missed
 * deadline, and Stripe does not say which. An unknown status counts as unknown, and nothing is closed on a guess.
 */
export function acceptabilityOf(status: string): Acceptability {
  if (ANSWERABLE.includes(status)) return 'possible'
  if (status === 'lost' || status === 'warning_closed') return 'lost'
  const decided = ['won', 'prevented', 'under_review', 'warning_under_review', 'appeal_under_review']
  return decided.includes(status) ? 'too_late' : 'unknown'
}

const SEE = "see its timeline in Stripe's dashboard"

type Verdict = Pick<ProbeAnswer, 'answer' | 'why' | 'repeatable'>

/**
 * Whether Recoup closed the dispute. A lost dispute was lost before if Recoup sent no call, and closed by Recoup if Stripe
 * responded that it took the call. If the response was lost, the status says nothing. Stripe's stored response to the call
 * does, until the due date.
 */
export function acceptanceVerdict(
  { status, dueBy, appealed }: Pick<ReadDispute, 'status' | 'dueBy' | 'appealed'>,
  { sent, taken, now }: { sent: boolean; taken: boolean; now: Date },
): Verdict {
  switch (acceptabilityOf(status)) {
    case 'possible':
      return { answer: 'not_done', why: 'the dispute still waits for an answer' }
    case 'lost': {
      if (!sent) return { answer: 'impossible', why: lostBefore(status) }
      if (taken) return { answer: 'done', why: 'Stripe took the acceptance, and the dispute is closed' }
      return dueBy === null || now < dueBy
        ? { answer: 'unknown', why: `it is ${status}, by our call or by a decision: ${SEE}`, repeatable: true }
        : { answer: 'unknown', why: `it is ${status}, by our call or a missed deadline: ${SEE}` }
    }
    case 'too_late':
      // An appeal follows a loss, which Recoup's call may have caused.
      return sent && appealed
        ? { answer: 'unknown', why: `it went on in an appeal, maybe after our call: ${SEE}` }
        : { answer: 'impossible', why: tooLate(status) }
    case 'unknown':
      return { answer: 'unknown', why: 'the dispute is in a status that this version does not know' }
  }
}

/** Why an acceptance is not sent: the dispute was closed before. */
function lostBefore(status: string): string {
  return status === 'lost'
    ? 'The dispute was lost at Stripe before the acceptance was sent: it can no longer be accepted.'
    : 'The inquiry was closed before the acceptance was sent: it can no longer be accepted.'
}

/**
 * Closes the dispute at Stripe: irreversible, needs_response → lost. Reads before the call, and again after a refusal,
 * because Stripe has no error code for "closed already". A closed dispute is closed again only to learn what became of an
 * earlier call: under the same key Stripe repeats its response, or refuses.
 * @throws PspError rejected_final when it can't be accepted any more, outcome_unknown when Stripe's response was lost
 */
export async function acceptDispute(
  client: StripeClient,
  expansion: Expansion,
  request: WriteRequest,
): Promise<Receipt> {
  const reference = guardReference(request.reference)
  const sent = request.sent === true
  const before = await standing(client, expansion, reference)
  if (before !== 'possible' && !sent) throw new PspError('rejected_final', lostBefore(before))
  try {
    const answer = await client.write('dispute', request.idempotencyKey, (sdk, options) =>
      sdk.disputes.close(reference, {}, options),
    )
    const closed = answer.value.id === reference && acceptabilityOf(answer.value.status) === 'lost'
    return { result: closed ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'invalid_request') throw error
    const after = await standing(client, expansion, reference)
    if (after === 'possible') throw error
    throw new PspError('rejected_final', lostBefore(after))
  }
}

/** @returns the status of a closed dispute @throws PspError when it is neither open nor closed by a loss */
async function standing(client: StripeClient, expansion: Expansion, reference: string): Promise<string> {
  const { status } = await readDispute(client, expansion, reference)
  const acceptability = acceptabilityOf(status)
  if (acceptability === 'possible') return acceptability
  if (acceptability === 'lost') return status
  throw new PspError(acceptability === 'too_late' ? 'rejected_final' : 'invalid_request', tooLate(status))
}

/** Why a dispute can't be contested any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'won':
      return 'Stripe reports the dispute as won: it can no longer be accepted or contested.'
    case 'prevented':
      return 'The dispute was prevented before it became a chargeback: it can no longer be answered.'
    case 'warning_closed':
      return 'The inquiry is closed: it can no longer be answered.'
    case 'lost':
      return 'Stripe reports the dispute as lost: it takes no answer any more.'
    default:
      return status.endsWith('under_review')
        ? 'Stripe has the dispute under review: it takes no further answer.'
        : 'Stripe has this dispute in a status that this version does not know.'
  }
}
