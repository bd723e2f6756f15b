import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { acceptabilityOf, acceptanceVerdict, tooLate } from './accept.ts'
import type { StripeClient } from './client.ts'
import { type Expansion, type ReadDispute, readDispute } from './fetch.ts'
import { ANSWERABLE } from './vocabulary.ts'

/** Whether a write was applied, by reading the dispute. */
export async function probe(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  question: ProbeQuestion,
): Promise<ProbeAnswer> {
  const dispute = await readDispute(client, expansion, question.reference)
  const sent = question.sent === true
  const verdict =
    question.kind === 'acceptance'
      ? acceptanceVerdict(dispute, { sent, taken: question.taken === true, now })
      : submissionVerdict(dispute, { ...question, sent })
  return { ...verdict, dispute: dispute.raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

/**
 * Recoup's digest alone proves nothing, because staging writes it too; nor does a higher count alone, because a person
 * or Smart Disputes may have submitted. Both together, after a call by Recoup, prove the submission.
 */
export function submissionVerdict(
  dispute: Pick<ReadDispute, 'status' | 'submissionCount' | 'submissionMethod' | 'evidenceDigest'>,
  { digest, submissionsBefore, sent }: { digest: string; submissionsBefore: number; sent: boolean },
): Verdict {
  const { status, submissionCount, submissionMethod, evidenceDigest } = dispute
  if (submissionCount > submissionsBefore) {
    if (submissionMethod === 'smart_disputes') {
      return {
        answer: 'impossible',
        why: "Stripe's Smart Disputes has answered this dispute: it takes no other answer.",
      }
    }
    if (evidenceDigest === digest && sent) return { answer: 'done', why: 'the submission went out with our evidence' }
    if (evidenceDigest === digest) {
      return { answer: 'impossible', why: 'Somebody submitted the staged evidence at Stripe before this service did.' }
    }
    return { answer: 'impossible', why: 'Other evidence was submitted at Stripe: it takes one submission only.' }
  }
  if (ANSWERABLE.includes(status)) return { answer: 'not_done', why: 'nothing was submitted since' }
  if (acceptabilityOf(status) === 'unknown' || (sent && status.endsWith('under_review'))) {
    return { answer: 'unknown', why: `the status is ${status} though no submission was counted` }
  }
  return { answer: 'impossible', why: tooLate(status) }
}
