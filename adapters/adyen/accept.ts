import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { AdyenClient } from './client.ts'
import { noResponse } from './errors.ts'
import type { Projection } from './events/reduce.ts'
import { readState } from './fetch.ts'
import { type Mailbox, storeMark } from './inbox.ts'

/** Requests for information and fraud notices can't be accepted: no money has moved. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['chargeback', 'second_chargeback']

/** Whether a dispute can be accepted, by its state. */
export type Acceptability = 'possible' | 'accepted' | 'lost' | 'too_late' | 'unknown'

/**
 * Adyen reports Accepted for every accepted dispute, also for one accepted in its Customer Area. `lost` without Accepted may be a decision or
 * a missed deadline.
 */
export function acceptabilityOf({
  pspStatus,
  acceptedNow,
}: Pick<Projection, 'pspStatus' | 'acceptedNow'>): Acceptability {
  if (pspStatus === 'needs_response') return 'possible'
  const lost = pspStatus === 'lost' || pspStatus === 'evidence_not_submitted_by_psp'
  if (lost) return acceptedNow ? 'accepted' : 'lost'
  return pspStatus === 'unknown' ? 'unknown' : 'too_late'
}

export const LOST_BEFORE =
  'Adyen reports the dispute as lost, not as accepted: it was decided before an acceptance was sent.'

/**
 * Accepts the dispute at Adyen: irreversible. Adyen's "success" is not an outcome: the receipt is `pending` until a
 * notification reports Accepted or Lost.
 * @throws PspError rejected_final when it can't be accepted any more, outcome_unknown when Adyen's response was lost
 */
export async function acceptDispute(
  client: AdyenClient,
  mailbox: Mailbox,
  now: Date,
  request: WriteRequest,
): Promise<Receipt> {
  const { reference, sent = false } = request
  const before = await state(mailbox, reference, sent)
  if (before !== null) return before
  const { success, requestId } = await client.accept(reference, request.idempotencyKey)
  if (success) {
    await storeMark(mailbox, { recoup: 'acceptance', reference, digest: null, at: now })
    return { result: 'pending', requestId }
  }
  return (await state(mailbox, reference, sent)) ?? (await explain(client, mailbox, now, reference))
}

/** A receipt when nothing is left to do, null when the dispute can be accepted. @throws PspError when it never can */
async function state(mailbox: Mailbox, reference: string, sent: boolean): Promise<Receipt | null> {
  const { projection, acceptanceSent } = await readState(mailbox, reference)
  const acceptability = acceptabilityOf(projection)
  if (acceptability === 'possible') return null
  if (acceptability === 'accepted') return { result: 'already_applied', requestId: null }
  if (acceptability === 'lost' && acceptanceSent) return { result: 'already_applied', requestId: null }
  if (acceptability === 'lost') throw sent ? noResponse('write') : new PspError('rejected_final', LOST_BEFORE)
  if (acceptability === 'too_late') throw new PspError('rejected_final', tooLate(projection))
  throw new PspError('invalid_request', 'Adyen has this dispute in a state that this version does not know.')
}

/**
 * Explains Adyen's refusal for a dispute that is open according to its notifications. If Adyen still names defence
 * reasons, the refusal is final. If not, somebody has closed the dispute, maybe an earlier call by Recoup, and its
 * notification is not here yet.
 */
export async function explain(client: AdyenClient, mailbox: Mailbox, now: Date, reference: string): Promise<never> {
  const { projection } = await readState(mailbox, reference)
  if (projection.dueDate !== null && Date.parse(projection.dueDate) <= now.getTime()) {
    throw new PspError('rejected_final', 'Adyen refused it: the due date has passed.')
  }
  const reasons = await client.reasons(reference)
  if (reasons === null || reasons.length === 0) throw noResponse('write')
  throw new PspError(
    'rejected_final',
    'Adyen refused it while the dispute is open. See the dispute in the Customer Area.',
  )
}

/** Why a dispute can't be contested any more, for the merchant. */
export function tooLate({ pspStatus, autoDefended }: Pick<Projection, 'pspStatus' | 'autoDefended'>): string {
  switch (pspStatus) {
    case 'won':
      return 'Adyen reports the dispute as won: it can no longer be accepted or contested.'
    case 'not_applicable':
      return 'There is nothing to answer: no money was taken, or the request for information is over.'
    case 'lost':
    case 'evidence_not_submitted_by_psp':
      return 'Adyen reports the dispute as lost: it takes no answer any more.'
    default:
      return autoDefended
        ? 'Adyen has defended the dispute by itself: it takes no further answer.'
        : 'The dispute was answered and is under review: it takes no further answer.'
  }
}
