import type { ProbeAnswer, ProbeQuestion } from '../contract.ts'
import { at, listAt } from '../shared/facts.ts'
import { concessionOf, statusWord } from './accept.ts'
import type { PayPalClient } from './client.ts'
import { markOf } from './documents/evidence-body.ts'
import { closedReason, requestedOf, routeOf } from './evidence-limits.ts'
import { timeAt } from './facts.ts'
import { readDispute } from './fetch.ts'

/** Whether a write was applied, by reading the dispute again. What was never sent is done only where PayPal says so itself. */
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
  const concession = concessionOf(dispute)
  switch (concession.state) {
    case 'possible':
      return { answer: 'not_done', why: 'PayPal still offers the acceptance' }
    // Not impossible: an acceptance that PayPal took may not show yet. One that was never sent is refused when it is tried.
    case 'not_offered':
      return { answer: 'not_done', why: concession.why }
    case 'accepted':
      return { answer: 'done', why: 'PayPal says that the seller accepted' }
    // An acceptance looks so too: with a call of ours on its way, the two can't be told apart.
    case 'lost':
      return sent
        ? { answer: 'done', why: 'the dispute is resolved for the buyer' }
        : { answer: 'impossible', why: concession.why }
    case 'too_late':
      return { answer: 'impossible', why: concession.why }
  }
}

/** What the seller has sent since PayPal asked last, oldest first: evidence and supporting information alike. */
export function answersOf(dispute: unknown): Record<string, unknown>[] {
  const asked = timeAt(requestedOf(dispute)[0], 'date') ?? 0
  const sentAt = (entry: unknown) => timeAt(entry, 'date') ?? timeAt(entry, 'provided_time') ?? Number.MAX_SAFE_INTEGER
  return [...listAt(dispute, 'evidences'), ...listAt(dispute, 'supporting_info')]
    .filter((entry) => entry.source === 'SUBMITTED_BY_SELLER' && sentAt(entry) >= asked)
    .sort((a, b) => sentAt(a) - sentAt(b))
}

/** Our mark in the name of a document or in the notes. */
function bears(entry: Record<string, unknown>, mark: string): boolean {
  const names = listAt(entry, 'documents').map((document) => document.name)
  return [entry.notes, ...names].some((text) => typeof text === 'string' && text.includes(mark))
}

/** Whether this very evidence went out in the present round. An appeal that is still open is a round of its own. */
export function sentByUs(dispute: unknown, digest: string): boolean {
  if (routeOf(dispute) === 'appeal') return false
  return answersOf(dispute).some((entry) => bears(entry, markOf(digest)))
}

/** Shows words or names of its documents, so that our mark would be among them. */
function speaks(entry: Record<string, unknown>): boolean {
  return entry.notes !== undefined || listAt(entry, 'documents').length > 0
}

/** Shows nothing of what was sent, so that it may be ours. Tracking without notes and documents is no submission of ours. */
function isSilent(entry: Record<string, unknown>): boolean {
  return !speaks(entry) && entry.evidence_info === undefined
}

const OTHERS = 'Other evidence was submitted at PayPal for this dispute, and this one was not.'

/**
 * Our mark proves it. Without it, and with nothing sent, a new entry is somebody else's, and PayPal's links say whether
 * ours can still go out.
 * @param sent whether a call of ours may have reached PayPal
 */
export function submissionVerdict(dispute: unknown, digest: string, submissionsBefore: number, sent: boolean): Verdict {
  if (sentByUs(dispute, digest)) return { answer: 'done', why: 'PayPal shows the submission with our mark' }
  const since = answersOf(dispute).slice(submissionsBefore)
  if (sent) return doubtfulVerdict(dispute, since)
  if (since.length > 0) return { answer: 'impossible', why: OTHERS }
  if (routeOf(dispute) === null) return { answer: 'impossible', why: closedReason(dispute) }
  return { answer: 'not_done', why: 'PayPal takes evidence, and shows none since' }
}

/**
 * A call of ours may have arrived. Where PayPal shows nothing of what was sent, a new entry after it stopped asking is
 * taken for ours; where it shows something and the mark is missing, somebody sent something else. Supporting information
 * is taken on after an answer, maybe before the answer is listed: its link doesn't say that nothing was sent. On anything
 * doubtful nothing is sent.
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
