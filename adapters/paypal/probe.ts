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
  const sent = question.sent === true
  const verdict =
    question.kind === 'acceptance'
      ? acceptanceVerdict(object, sent)
      : submissionVerdict(object, question.digest, question.submissionsBefore, sent)
  return { ...verdict, dispute: raw }
}

type Verdict = Pick<ProbeAnswer, 'answer' | 'why'>

/** @param sent whether a call of ours may have reached PayPal */
export function acceptanceVerdict(dispute: unknown, sent: boolean): Verdict {
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
    // An acceptance looks like this too; with a call by Recoup in flight the two can't be told apart.
    case 'lost':
      return sent
        ? { answer: 'done', why: 'the dispute is resolved for the buyer' }
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
 * @param sent whether a call by Recoup may have reached PayPal
 */
export function submissionVerdict(dispute: unknown, digest: string, submissionsBefore: number, sent: boolean): Verdict {
  if (sentByUs(dispute, digest)) return { answer: 'done', why: 'PayPal shows the submission with our mark' }
  const since = submissionsOf(dispute).slice(submissionsBefore)
  if (sent) return doubtfulVerdict(dispute, since)
  if (since.length > 0) return { answer: 'impossible', why: OTHERS }
  if (routeOf(dispute) === null) return { answer: 'impossible', why: closedReason(dispute) }
  return { answer: 'not_done', why: 'PayPal takes evidence, and shows none since' }
}

/**
 * A call by Recoup may have arrived. If PayPal shows no content, a new entry after it stopped asking counts as
 * Recoup's; if it shows content without the mark, somebody else sent it. PayPal accepts supporting information after an
 * answer, maybe before that answer is listed, so the link does not prove that nothing was sent. In doubt nothing is
 * sent.
 */
function doubtfulVerdict(dispute: unknown, since: readonly Record<string, unknown>[]): Verdict {
  const route = routeOf(dispute)
  if (route === 'provide-evidence' || route === 'appeal') {
    return since.length > 0
      ? { answer: 'unknown', why: 'PayPal shows a new submission without our mark, and still takes more' }
      : { answer: 'not_done', why: 'PayPal still takes evidence, and shows none since' }
  }
  const closed = at(dispute, 'status') === 'RESOLVED'
  if (since.length > 0) {
    if (since.every(isSilent)) return { answer: 'done', why: 'PayPal shows a new submission and asks no more' }
    return closed && since.every(speaks)
      ? { answer: 'impossible', why: OTHERS }
      : { answer: 'unknown', why: 'PayPal shows a new submission that is not ours; ours may still appear' }
  }
  if (closed) return { answer: 'impossible', why: closedReason(dispute) }
  return { answer: 'unknown', why: `the status is ${statusWord(dispute)} and no submission is shown yet` }
}
