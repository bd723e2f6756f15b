import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { concessionOf, tooLate } from './accept.ts'
import type { StripeClient } from './client.ts'
import { type Expansion, type ReadDispute, readDispute } from './fetch.ts'
import { ANSWERABLE } from './vocabulary.ts'

/** Whether a write was applied, by reading the dispute again. */
export async function probe(client: StripeClient, expansion: Expansion, question: ProbeQuestion): Promise<ProbeAnswer> {
  const dispute = await readDispute(client, expansion, question.reference)
  const verdict =
    question.kind === 'acceptance'
      ? acceptanceVerdict(dispute.status)
      : submissionVerdict(dispute, question.digest, question.submissionsBefore)
  return { ...verdict, dispute: dispute.raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

function acceptanceVerdict(status: string): Verdict {
  switch (concessionOf(status)) {
    case 'possible':
      return { answer: 'not_done', why: 'the dispute still waits for an answer' }
    case 'conceded':
      return { answer: 'done', why: 'the dispute is closed' }
    case 'too_late':
      return { answer: 'impossible', why: tooLate(status) }
    case 'unknown':
      return { answer: 'unknown', why: 'the dispute is in a status that this version does not know' }
  }
}

/**
 * Our digest alone proves nothing, for staging writes it too; a risen count alone neither, for a person or Smart
 * Disputes may have submitted something else. Only both together say that ours went out.
 */
export function submissionVerdict(
  dispute: Pick<ReadDispute, 'status' | 'submissionCount' | 'submissionMethod' | 'evidenceDigest'>,
  digest: string,
  submissionsBefore: number,
): Verdict {
  const { status, submissionCount, submissionMethod, evidenceDigest } = dispute
  if (submissionCount > submissionsBefore) {
    if (submissionMethod === 'smart_disputes') {
      return {
        answer: 'impossible',
        why: "Stripe's Smart Disputes has answered this dispute: it takes no other answer.",
      }
    }
    if (evidenceDigest === digest) return { answer: 'done', why: 'the submission went out with our evidence' }
    return { answer: 'impossible', why: 'Other evidence was submitted at Stripe: it takes one submission only.' }
  }
  if (ANSWERABLE.includes(status)) return { answer: 'not_done', why: 'nothing was submitted since' }
  if (concessionOf(status) === 'unknown' || status.endsWith('under_review')) {
    return { answer: 'unknown', why: `the status is ${status} though no submission was counted` }
  }
  return { answer: 'impossible', why: tooLate(status) }
}
