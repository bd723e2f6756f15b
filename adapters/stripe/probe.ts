import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { acceptanceVerdict, concessionOf, tooLate } from './accept.ts'
import type { StripeClient } from './client.ts'
import { type Expansion, type ReadDispute, readDispute } from './fetch.ts'
import { ANSWERABLE } from './vocabulary.ts'

/** Whether a write was applied, by reading the dispute again. */
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
      ? acceptanceVerdict(dispute, { sent, now })
      : submissionVerdict(dispute, { ...question, sent })
  return { ...verdict, dispute: dispute.raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

/**
 * Our digest alone proves nothing, for staging writes it too; a risen count alone neither, for a person or Smart
 * Disputes may have submitted something else. Only both together, after a call of ours, say that ours went out.
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
  if (concessionOf(status) === 'unknown' || (sent && status.endsWith('under_review'))) {
    return { answer: 'unknown', why: `the status is ${status} though no submission was counted` }
  }
  return { answer: 'impossible', why: tooLate(status) }
}
