import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { readChargeback, type Sandbox } from './fetch.ts'
import { type Marks, marksOf, tooLate } from './rules.ts'

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

/** Whether a write was applied, by reading the chargeback. */
export async function probe(sandbox: Sandbox, question: ProbeQuestion): Promise<ProbeAnswer> {
  const { raw, shape } = await readChargeback(sandbox, question.reference)
  const marks = marksOf(shape)
  const status = String(shape.pspStatus)
  const verdict =
    question.kind === 'acceptance' ? acceptanceVerdict(marks, status) : submissionVerdict(marks, status, question)
  return { ...verdict, dispute: raw }
}

function acceptanceVerdict(marks: Marks, status: string): Verdict {
  if (marks.acceptedAt !== null) return { answer: 'done', why: 'the chargeback was accepted' }
  return open(status, 'the chargeback still waits for an answer')
}

/**
 * Only Recoup's evidence in this round, after a call by Recoup, proves the submission; other evidence makes it
 * impossible. The same documents have the same digest, also if somebody else sends them.
 */
function submissionVerdict(
  { submissions, evidenceDigest }: Marks,
  status: string,
  { digest, submissionsBefore, sent = false }: { digest: string; submissionsBefore: number; sent?: boolean },
): Verdict {
  if (submissions > submissionsBefore && evidenceDigest === digest && sent) {
    return { answer: 'done', why: 'the submission went out with our evidence' }
  }
  if (submissions > submissionsBefore && evidenceDigest !== null) {
    return { answer: 'impossible', why: 'Other evidence was submitted: one submission is taken per round.' }
  }
  return open(status, 'nothing was submitted since')
}

function open(status: string, why: string): Verdict {
  if (status === 'needs_response') return { answer: 'not_done', why }
  const known = ['under_review', 'won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp']
  if (known.includes(status)) return { answer: 'impossible', why: tooLate(status) }
  return { answer: 'unknown', why: 'the chargeback is in a status that this version does not know' }
}
