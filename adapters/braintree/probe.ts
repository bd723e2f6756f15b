import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { acceptabilityOf, tooLate } from './accept.ts'
import type { BraintreeClient } from './client.ts'
import { markAt, markOf } from './documents/marks.ts'
import { foreignTo } from './evidence-diff.ts'
import { type ReadDispute, readDispute } from './fetch.ts'
import { ACCEPTED, OPEN, pspStatusOf } from './vocabulary.ts'

/** Whether a write was applied, by reading the dispute. BEHAVIOR.md has the table of results. */
export async function probe(client: BraintreeClient, question: ProbeQuestion): Promise<ProbeAnswer> {
  const dispute = await readDispute(client, question.reference)
  const verdict =
    question.kind === 'acceptance' ? acceptanceVerdict(dispute, question.sent) : submissionVerdict(dispute, question)
  return { ...verdict, dispute: dispute.raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>
const UNKNOWN_STATUS: Verdict = {
  answer: 'unknown',
  why: 'the dispute is in a status that this version does not know',
}

/** Braintree has a status for disputes accepted by a merchant (accepted), by Recoup or in its console. */
export function acceptanceVerdict(
  { status, history }: Pick<ReadDispute, 'status' | 'history'>,
  sent: boolean | undefined,
): Verdict {
  switch (acceptabilityOf(status)) {
    case 'possible':
      return { answer: 'not_done', why: 'the dispute is still open' }
    case 'accepted':
      return { answer: 'done', why: `the dispute is ${status}` }
    case 'unknown':
      return UNKNOWN_STATUS
  }
  if (history.includes(ACCEPTED)) return { answer: 'done', why: `the dispute was accepted, and is ${status} now` }
  if (!sent) return { answer: 'impossible', why: beforeSent(status, 'acceptance') }
  // A history without `accepted` proves that the call had no effect; without any history there is no proof.
  if (history.length === 0) return { answer: 'unknown', why: `the dispute is ${status}, without a history` }
  return { answer: 'impossible', why: tooLate(status) }
}

/** Question of a submission's probe; without `texts` they are not compared. */
export interface Asked {
  digest: string
  texts?: Readonly<Record<string, string>>
  sent?: boolean
}

/**
 * Braintree does not count submissions. Three facts together prove that Recoup's was sent: a call may have arrived,
 * Recoup's document is among the evidence, and the dispute was finalized (it is or was `disputed`, or the document
 * itself was sent to the processor). Attached evidence is not sent: the issuer may withdraw before. A review without
 * `disputed` before it may be that of Recoup's evidence or the payment method's own, so the outcome is unknown.
 * Evidence sent together with somebody else's never counts as done.
 */
export function submissionVerdict(
  { status, history, evidence }: Pick<ReadDispute, 'status' | 'history' | 'evidence'>,
  { digest, texts, sent }: Asked,
): Verdict {
  if (status === OPEN) return { answer: 'not_done', why: 'the dispute is still open' }
  if (pspStatusOf(status) === 'unknown') return UNKNOWN_STATUS
  const ours = evidence.find((entry) => markAt(entry)?.package === markOf({ digest }).package)
  // Without any history the status decides; with one, a dispute may have been won without evidence, too.
  const told = history.length > 0 ? history.includes('disputed') : ['won', 'under_review'].includes(status)
  const wentOut = status === 'disputed' || told || (ours !== undefined && ours.sentToProcessorAt !== null)
  const reviewed = history.includes('under_review') && ['under_review', 'won', 'lost'].includes(status)
  if (!ours) {
    const other = status === 'disputed' || status === 'under_review'
    const why = other ? 'Other evidence was submitted at Braintree: it takes one answer only.' : tooLate(status)
    return { answer: 'impossible', why }
  }
  if (!sent) return { answer: 'impossible', why: wentOut ? BY_HAND : beforeSent(status, 'evidence') }
  if (!wentOut && !reviewed) return { answer: 'impossible', why: tooLate(status) }
  const owner = markAt(ours)?.owner ?? ''
  if (foreignTo(evidence, { owner, texts }).length > 0)
    return { answer: 'unknown', why: 'the dispute was finalized with our evidence and with some that is not ours' }
  if (wentOut) return { answer: 'done', why: 'the dispute was finalized with our evidence' }
  return { answer: 'unknown', why: 'our evidence is attached, and the history does not say whether it was finalized' }
}

const BY_HAND =
  'Somebody finalized the dispute at Braintree before it was submitted here, with the document of this submission attached.'

/** Decided before Recoup sent anything, for the merchant. */
function beforeSent(status: string, what: 'acceptance' | 'evidence'): string {
  const sentence = `the ${what} was sent`
  if (status === 'lost') return `The dispute was lost by decision before ${sentence}.`
  if (status === 'won') return `The dispute was won before ${sentence}.`
  return `Nothing was sent before the dispute changed. ${tooLate(status)}`
}
