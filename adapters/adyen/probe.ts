import type { LifecycleStage, PspStatus } from '../../domain/chargeback.ts'
import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { PspError } from '../errors.ts'
import { concessionOf, LOST_BEFORE, tooLate } from './accept.ts'
import type { AdyenClient } from './client.ts'
import { type Standing, standingOf } from './fetch.ts'
import type { Mailbox } from './inbox.ts'

type Verdict = Pick<ProbeAnswer, 'answer' | 'why' | 'awaited'>

/**
 * Whether a write was applied, as far as the inbox tells: Adyen itself can't be asked. While nothing came, a write that
 * we know Adyen took is `unknown`, and one whose answer was lost is `not_done`: repeating it is harmless, for the same
 * key is sent and Adyen refuses to accept or defend a dispute twice.
 */
export async function probe(mailbox: Mailbox, question: ProbeQuestion): Promise<ProbeAnswer> {
  const standing = await standingOf(mailbox, question.reference)
  const verdict =
    question.kind === 'acceptance'
      ? acceptanceVerdict(standing, question.sent === true)
      : submissionVerdict(standing, { ...question, sent: question.sent === true })
  return { ...verdict, dispute: standing.raw }
}

/**
 * Accepted is Adyen's own word. Lost without it is ours where Adyen took our call; where the answer to that call never
 * came nobody knows, and what was never sent was decided by others.
 */
function acceptanceVerdict({ projection, acceptanceSent, acceptedEver }: Standing, sent: boolean): Verdict {
  switch (concessionOf(projection)) {
    case 'possible':
      return acceptanceSent
        ? { answer: 'unknown', why: 'Adyen took the acceptance; its notification has not come yet', awaited: true }
        : { answer: 'not_done', why: 'the dispute still waits for an answer' }
    case 'conceded':
      return { answer: 'done', why: 'Adyen says that the dispute was accepted' }
    case 'lost':
      if (acceptanceSent) return { answer: 'done', why: 'Adyen took the acceptance, and the dispute is lost' }
      return sent
        ? { answer: 'unknown', why: 'it is lost, and Adyen does not say whether by our call: see the Customer Area' }
        : { answer: 'impossible', why: LOST_BEFORE }
    case 'too_late':
      // In a further stage our call may have ended the one before.
      return acceptedEver || (sent && ESCALATED.includes(projection.lifecycleStage))
        ? { answer: 'unknown', why: 'it was accepted, and went on after that: see the dispute in the Customer Area' }
        : { answer: 'impossible', why: tooLate(projection) }
    case 'unknown':
      return { answer: 'unknown', why: 'the dispute is in a state that this version does not know' }
  }
}

const OTHERS = 'Other evidence was submitted at Adyen: it takes one submission only.'

/** An issuer goes into these against a defence only, so that they confirm one that Adyen took from us before. */
const ESCALATED: readonly LifecycleStage[] = ['second_chargeback', 'third_chargeback']

/**
 * Adyen keeps no mark of whose defence it was. One that was supplied is ours when we had uploaded this evidence and a call
 * of ours may have sent it on. Nothing of ours goes out without an upload, whose mark is written before it. A dispute may
 * be a stage further when we hear of it, and what Adyen took from us is never called failed for want of a confirmation.
 * Where the answer to our defence was lost, INFORMATION_SUPPLIED proves it, and may come after what followed it. Until
 * then a review in the stage of our upload is proof enough; a win, or a stage further, proves nothing either way.
 */
export function submissionVerdict(
  standing: Pick<Standing, 'projection' | 'defended' | 'sent' | 'prepared' | 'preparedNow'>,
  { digest, submissionsBefore, sent: called }: { digest: string; submissionsBefore: number; sent: boolean },
): Verdict {
  const { projection, defended, sent, prepared, preparedNow } = standing
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

/** What the course of a dispute says about a defence that we tried to send in this stage (`now`) or in an earlier one. */
function unconfirmed(pspStatus: PspStatus, now: boolean): Verdict | null {
  if (now && pspStatus === 'under_review') return { answer: 'done', why: 'it is under review with our evidence' }
  return now && pspStatus !== 'won'
    ? null
    : { answer: 'unknown', why: 'it went on, Adyen did not say after which defence: see it in the Customer Area' }
}

/**
 * Whether Adyen would still take an answer: the only thing that it tells about a dispute when asked. False, too, for one
 * that it does not know.
 */
export async function askAfter(client: AdyenClient, reference: string): Promise<{ answerable: boolean }> {
  try {
    return { answerable: ((await client.reasons(reference)) ?? []).length > 0 }
  } catch (error) {
    if (error instanceof PspError && error.kind === 'invalid_request') return { answerable: false }
    throw error
  }
}
