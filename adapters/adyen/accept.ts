import type { LifecycleStage } from '../../domain/chargeback.ts'
import type { Receipt, WriteRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { AdyenClient } from './client.ts'
import { unanswered } from './errors.ts'
import type { Projection } from './events/reduce.ts'
import { standingOf } from './fetch.ts'
import { leaveMark, type Mailbox } from './inbox.ts'

/** Conceding a request for information or a fraud notice means nothing: no money has moved. */
export const ACCEPT_STAGES: readonly LifecycleStage[] = ['chargeback', 'second_chargeback']

/** What the standing of a dispute says about conceding it. */
export type Concession = 'possible' | 'conceded' | 'lost' | 'too_late' | 'unknown'

/** Adyen says Accepted of what was conceded, by whomever; `lost` without that word may be a decision or silence. */
export function concessionOf({ pspStatus, acceptedNow }: Pick<Projection, 'pspStatus' | 'acceptedNow'>): Concession {
  if (pspStatus === 'needs_response') return 'possible'
  const lost = pspStatus === 'lost' || pspStatus === 'evidence_not_submitted_by_psp'
  if (lost) return acceptedNow ? 'conceded' : 'lost'
  return pspStatus === 'unknown' ? 'unknown' : 'too_late'
}

export const LOST_BEFORE =
  'Adyen reports the dispute as lost, not as accepted: it was decided before an acceptance was sent.'

/**
 * Accepts the dispute at Adyen: irreversible. Adyen's "success" is no outcome, the receipt is `pending` until a
 * notification says Accepted or Lost.
 * @throws PspError rejected_final when it can't be conceded any more, outcome_unknown when Adyen didn't say
 */
export async function acceptDispute(
  client: AdyenClient,
  mailbox: Mailbox,
  now: Date,
  request: WriteRequest,
): Promise<Receipt> {
  const { reference, sent = false } = request
  const before = await standing(mailbox, reference, sent)
  if (before !== null) return before
  const { success, requestId } = await client.accept(reference, request.idempotencyKey)
  if (success) {
    await leaveMark(mailbox, { recoup: 'acceptance', reference, digest: null, at: now })
    return { result: 'pending', requestId }
  }
  return (await standing(mailbox, reference, sent)) ?? (await explain(client, mailbox, now, reference))
}

/** A receipt when nothing is left to do, null when the dispute can be conceded. @throws PspError when it never can */
async function standing(mailbox: Mailbox, reference: string, sent: boolean): Promise<Receipt | null> {
  const { projection, acceptanceSent } = await standingOf(mailbox, reference)
  const concession = concessionOf(projection)
  if (concession === 'possible') return null
  if (concession === 'conceded') return { result: 'already_applied', requestId: null }
  if (concession === 'lost' && acceptanceSent) return { result: 'already_applied', requestId: null }
  if (concession === 'lost') throw sent ? unanswered('write') : new PspError('rejected_final', LOST_BEFORE)
  if (concession === 'too_late') throw new PspError('rejected_final', tooLate(projection))
  throw new PspError('invalid_request', 'Adyen has this dispute in a state that this version does not know.')
}

/**
 * Adyen said no to a dispute that, as far as its notifications go, is open. Still defendable at Adyen: a true refusal.
 * Not any more: somebody was quicker, maybe an earlier call of ours, and the notification that says so is on its way.
 */
export async function explain(client: AdyenClient, mailbox: Mailbox, now: Date, reference: string): Promise<never> {
  const { projection } = await standingOf(mailbox, reference)
  if (projection.dueDate !== null && Date.parse(projection.dueDate) <= now.getTime()) {
    throw new PspError('rejected_final', 'Adyen refused it: the due date has passed.')
  }
  const reasons = await client.reasons(reference)
  if (reasons === null || reasons.length === 0) throw unanswered('write')
  throw new PspError(
    'rejected_final',
    'Adyen refused it while the dispute is open. See the dispute in the Customer Area.',
  )
}

/** Why a dispute can't be answered any more, for the merchant. */
export function tooLate({ pspStatus, autoDefended }: Pick<Projection, 'pspStatus' | 'autoDefended'>): string {
  switch (pspStatus) {
    case 'won':
      return 'Adyen reports the dispute as won: there is nothing left to give up or to contest.'
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
