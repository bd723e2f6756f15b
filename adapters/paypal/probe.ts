import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { at, listAt } from '../shared/facts.ts'
import { acceptabilityOf, statusWord } from './accept.ts'
import type { PayPalClient } from './client.ts'
import { markOf } from './documents/evidence-body.ts'
import { closedReason, requestedOf, routeOf } from './evidence-limits.ts'
import { timeAt } from './facts.ts'
import { readDispute } from './fetch.ts'

/**
 * Whether a write was applied, by reading the dispute. A write that was never sent is done only if PayPal itself
 * reports it.
 */
export async function probe(client: PayPalClient, question: ProbeQuestion): Promise<ProbeAnswer> {
  const { raw, object } = await readDispute(client, question.reference)
  const verdict =
    question.kind === 'acceptance' ? acceptanceVerdict(object, question) : submissionVerdict(object, question)
  return { ...verdict, dispute: raw }
}

/** What is known of Recoup's own call, as in `ProbeQuestion`. */
type OwnCall = Pick<ProbeQuestion, 'sent' | 'taken'>
type Submission = Pick<ProbeQuestion & { kind: 'submission' }, 'digest' | 'submissionsBefore'> & OwnCall

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

export function acceptanceVerdict(dispute: unknown, { sent, taken }: OwnCall): Verdict {
  const acceptability = acceptabilityOf(dispute)
  switch (acceptability.state) {
    case 'possible':
      return { answer: 'not_done', why: 'PayPal still offers the acceptance' }
    // Not impossible: PayPal may not show an accepted acceptance yet. One that was never sent is refused when it is
    // tried.
    case 'not_offered':
      return { answer: 'not_done', why: acceptability.why }
    case 'accepted':
      return { answer: 'done', why: 'PayPal says that the seller accepted' }
    // An acceptance may look like this too: it is one only if PayPal took ours.
    case 'lost':
      if (taken) return { answer: 'done', why: 'PayPal took the acceptance, and the dispute is resolved for the buyer' }
      return sent
        ? {
            answer: 'unknown',
            why: 'it is resolved for the buyer, by our acceptance or by PayPal: see the Resolution Center',
          }
        : { answer: 'impossible', why: acceptability.why }
    case 'too_late':
      return { answer: 'impossible', why: acceptability.why }
  }
}

/** The seller's evidence and supporting information since PayPal's last request, oldest first. */
export function submissionsOf(dispute: unknown): Record<string, unknown>[] {
  const asked = timeAt(requestedOf(dispute)[0], 'date') ?? 0
  const sentAt = (entry: unknown) => timeAt(entry, 'date') ?? timeAt(entry, 'provided_time') ?? Number.MAX_SAFE_INTEGER
  return [...listAt(dispute, 'evidences'), ...listAt(dispute, 'supporting_info')]
    .filter((entry) => entry.source === 'SUBMITTED_BY_SELLER' && sentAt(entry) >= asked)
    .sort((a, b) => sentAt(a) - sentAt(b))
}

/** Recoup's mark in a document name or in the notes. */
function bears(entry: Record<string, unknown>, mark: string): boolean {
  const names = listAt(entry, 'documents').map((document) => document.name)
  return [entry.notes, ...names].some((text) => typeof text === 'string' && text.includes(mark))
}

/** Whether this evidence was sent in the current round. An open appeal is a separate round. */
export function sentByUs(dispute: unknown, digest: string): boolean {
  if (routeOf(dispute) === 'appeal') return false
  return submissionsOf(dispute).some((entry) => bears(entry, markOf(digest)))
}

/** Shows notes or document names, so that Recoup's mark would be visible. */
function speaks(entry: Record<string, unknown>): boolean {
  return entry.notes !== undefined || listAt(entry, 'documents').length > 0
}

/** Shows nothing of its content, so it may be Recoup's. An entry with tracking but no notes and documents is not. */
function isSilent(entry: Record<string, unknown>): boolean {
  return !speaks(entry) && entry.evidence_info === undefined
}

const OTHERS = 'Other evidence was submitted at PayPal for this dispute, and this one was not.'

/**
 * Recoup's mark proves the submission. Without the mark, and with nothing sent, a new entry is somebody else's, and
 * PayPal's links say whether Recoup's can still be sent.
 */
export function submissionVerdict(dispute: unknown, question: Submission): Verdict {
  const { digest, submissionsBefore, sent, taken } = question
  if (sentByUs(dispute, digest)) return { answer: 'done', why: 'PayPal shows the submission with our mark' }
  const since = submissionsOf(dispute).slice(submissionsBefore)
  if (sent) return doubtfulVerdict(dispute, since, taken === true)
  if (since.length > 0) return { answer: 'impossible', why: OTHERS }
  if (routeOf(dispute) === null) return { answer: 'impossible', why: closedReason(dispute) }
  return { answer: 'not_done', why: 'PayPal takes evidence, and shows none since' }
}

/**
 * A call by Recoup may have arrived. If PayPal shows no content, a new entry after it stopped asking counts as
 * Recoup's if PayPal took the call; if it shows content without the mark, somebody else sent it. PayPal accepts supporting information after an
 * answer, maybe before that answer is listed, so the link does not prove that nothing was sent. In doubt nothing is
 * sent.
 */
function doubtfulVerdict(dispute: unknown, since: readonly Record<string, unknown>[], taken: boolean): Verdict {
  const route = routeOf(dispute)
  if (route === 'provide-evidence' || route === 'appeal') {
    return since.length > 0
      ? { answer: 'unknown', why: 'PayPal shows a new submission without our mark, and still takes more' }
      : { answer: 'not_done', why: 'PayPal still takes evidence, and shows none since' }
  }
  const closed = at(dispute, 'status') === 'RESOLVED'
  if (since.length > 0) {
    if (taken && since.every(isSilent))
      return { answer: 'done', why: 'PayPal took the submission, shows a new one and asks no more' }
    return closed && since.every(speaks)
      ? { answer: 'impossible', why: OTHERS }
      : { answer: 'unknown', why: 'PayPal shows a new submission without our mark; ours may still appear' }
  }
  if (closed) return { answer: 'impossible', why: closedReason(dispute) }
  return { answer: 'unknown', why: `the status is ${statusWord(dispute)} and no submission is shown yet` }
}
