import type { LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { PspError } from '../errors.ts'
import { acceptabilityOf, LOST_BEFORE, tooLate } from './accept.ts'
import type { AdyenClient } from './client.ts'
import { type DisputeState, readState } from './fetch.ts'
import type { Mailbox } from './inbox.ts'

type Verdict = Pick<ProbeAnswer, 'answer' | 'why' | 'awaited'>

/**
 * Whether a write was applied, according to the inbox, because Adyen has no call for it. Without a notification a write
 * that Adyen accepted is `unknown`. A write whose response was lost is `not_done`: repeating it is harmless, because
 * the key is the same and Adyen refuses to accept or defend a dispute twice.
 */
export async function probe(mailbox: Mailbox, question: ProbeQuestion): Promise<ProbeAnswer> {
  const state = await readState(mailbox, question.reference)
  const verdict =
    question.kind === 'acceptance'
      ? acceptanceVerdict(state, question.sent === true)
      : submissionVerdict(state, { ...question, sent: question.sent === true })
  return { ...verdict, dispute: state.raw }
}

/**
 * Accepted is Adyen's own status. Lost without it counts as Recoup's acceptance if Adyen accepted the call. If the
 * response to that call was lost, the outcome is unknown; without a call, others decided.
 */
function acceptanceVerdict({ projection, acceptanceSent, acceptedEver }: DisputeState, sent: boolean): Verdict {
  switch (acceptabilityOf(projection)) {
    case 'possible':
      return acceptanceSent
        ? { answer: 'unknown', why: 'Adyen took the acceptance; its notification has not come yet', awaited: true }
        : { answer: 'not_done', why: 'the dispute still waits for an answer' }
    case 'accepted':
      return { answer: 'done', why: 'Adyen says that the dispute was accepted' }
    case 'lost':
      if (acceptanceSent) return { answer: 'done', why: 'Adyen took the acceptance, and the dispute is lost' }
      return sent
        ? { answer: 'unknown', why: 'it is lost, and Adyen does not say whether by our call: see the Customer Area' }
        : { answer: 'impossible', why: LOST_BEFORE }
    case 'too_late':
      // In a further stage, Recoup's call may have ended the previous stage.
      return acceptedEver || (sent && ESCALATED.includes(projection.lifecycleStage))
        ? { answer: 'unknown', why: 'it was accepted, and went on after that: see the dispute in the Customer Area' }
        : { answer: 'impossible', why: tooLate(projection) }
    case 'unknown':
      return { answer: 'unknown', why: 'the dispute is in a state that this version does not know' }
  }
}

const OTHERS = 'Other evidence was submitted at Adyen: it takes one submission only.'

/** Issuers move to these states only after a defence, so they confirm one that Adyen accepted from Recoup. */
const ESCALATED: readonly LifecycleStage[] = ['second_chargeback', 'third_chargeback']

/**
 * Adyen does not say whose defence it received. A defence is Recoup's if this evidence was uploaded and a call may have
 * sent it: nothing is sent without an upload, whose mark is stored first. The dispute may be a stage further by now,
 * and a defence that Adyen accepted is never reported as failed only because a confirmation is missing. If the response
 * to the defence was lost, INFORMATION_SUPPLIED proves it, possibly later than the events that follow. Until then, a
 * review in the stage of the upload is sufficient proof; a win, or a further stage, proves nothing.
 */
export function submissionVerdict(
  state: Pick<DisputeState, 'projection' | 'defended' | 'sent' | 'prepared' | 'preparedNow'>,
  { digest, submissionsBefore, sent: called }: { digest: string; submissionsBefore: number; sent: boolean },
): Verdict {
  const { projection, defended, sent, prepared, preparedNow } = state
  const { pspStatus, lifecycleStage, suppliedCount } = projection
  const taken = sent.includes(digest)
  const supplied = suppliedCount > submissionsBefore
  if (taken && supplied) return { answer: 'done', why: 'the defence went out with our evidence' }
  if (pspStatus === 'needs_response') {
    return taken
      ? { answer: 'unknown', why: 'Adyen took the defence; its notification has not come yet', awaited: true }
      : { answer: 'not_done', why: 'nothing was submitted since' }
  }
  if (pspStatus === 'unknown')
    return { answer: 'unknown', why: 'the dispute is in a state that this version does not know' }
  const unsent = pspStatus === 'evidence_not_submitted_by_psp'
  if (taken) {
    return !unsent && (defended === digest || ESCALATED.includes(lifecycleStage))
      ? { answer: 'done', why: 'the defence went out with our evidence' }
      : { answer: 'unknown', why: 'Adyen took the defence and never confirmed it: see it in the Customer Area' }
  }
  if (unsent) return { answer: 'impossible', why: tooLate(projection) }
  if (defended !== null) return { answer: 'impossible', why: OTHERS }
  const ours = called && prepared.includes(digest)
  if (supplied) return ours ? { answer: 'done', why: 'a defence was supplied' } : { answer: 'impossible', why: OTHERS }
  const byUs = ours && !projection.autoDefended
  return (
    (byUs && unconfirmed(pspStatus, preparedNow.includes(digest))) || { answer: 'impossible', why: tooLate(projection) }
  )
}

/** The evidence from the dispute's later course for a defence that was sent in this stage (`now`) or an earlier one. */
function unconfirmed(pspStatus: PspStatus, now: boolean): Verdict | null {
  if (now && pspStatus === 'under_review') return { answer: 'done', why: 'it is under review with our evidence' }
  return now && pspStatus !== 'won'
    ? null
    : { answer: 'unknown', why: 'it went on, Adyen did not say after which defence: see it in the Customer Area' }
}

/**
 * Whether Adyen would still accept an answer, which is all that it reports about a dispute on request. False also for
 * an unknown dispute.
 */
export async function checkAnswerable(client: AdyenClient, reference: string): Promise<{ answerable: boolean }> {
  try {
    return { answerable: ((await client.reasons(reference)) ?? []).length > 0 }
  } catch (error) {
    if (error instanceof PspError && error.kind === 'invalid_request') return { answerable: false }
    throw error
  }
}
