import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { concessionOf, tooLate } from './accept.ts'
import type { BraintreeClient } from './client.ts'
import { type ReadDispute, readDispute } from './fetch.ts'
import { wholeMark } from './marks.ts'
import { OPEN, pspStatusOf } from './vocabulary.ts'

/** Whether a write was applied, by reading the dispute again. */
export async function probe(client: BraintreeClient, question: ProbeQuestion): Promise<ProbeAnswer> {
  const dispute = await readDispute(client, question.reference)
  const verdict =
    question.kind === 'acceptance' ? acceptanceVerdict(dispute.status) : submissionVerdict(dispute, question.digest)
  return { ...verdict, dispute: dispute.raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

function acceptanceVerdict(status: string): Verdict {
  switch (concessionOf(status)) {
    case 'possible':
      return { answer: 'not_done', why: 'the dispute is still open' }
    case 'conceded':
      return { answer: 'done', why: `the dispute is ${status}` }
    case 'too_late':
      return { answer: 'impossible', why: tooLate(status) }
    case 'unknown':
      return { answer: 'unknown', why: 'the dispute is in a status that this version does not know' }
  }
}

/**
 * Braintree counts no submissions. That ours went out is told by two things together: our mark with the digest is among
 * the evidence, and the dispute was finalized (it is or was `disputed`, or the mark itself went to the processor).
 * Attached alone is not sent: the issuer may give in before. A review that followed without a word of `disputed` may be
 * the one of our answer or the payment method's own: nobody knows.
 */
export function submissionVerdict(
  { status, history, evidence }: Pick<ReadDispute, 'status' | 'history' | 'evidence'>,
  digest: string,
): Verdict {
  if (status === OPEN) return { answer: 'not_done', why: 'the dispute is still open' }
  if (pspStatusOf(status) === 'unknown') {
    return { answer: 'unknown', why: 'the dispute is in a status that this version does not know' }
  }
  const mark = wholeMark(evidence, digest)
  // A dispute without any history is believed by its status; one with a history was won without an answer, too.
  const told = history.length > 0 ? history.includes('disputed') : ['won', 'under_review'].includes(status)
  if (mark && (status === 'disputed' || told || mark.sentToProcessorAt !== null)) {
    return { answer: 'done', why: 'the dispute was finalized with our evidence' }
  }
  if (mark && history.includes('under_review') && ['under_review', 'won', 'lost'].includes(status)) {
    return { answer: 'unknown', why: 'our evidence is attached, and the history does not say whether it was finalized' }
  }
  const other = !mark && (status === 'disputed' || status === 'under_review')
  return {
    answer: 'impossible',
    why: other ? 'Other evidence was submitted at Braintree: it takes one answer only.' : tooLate(status),
  }
}
