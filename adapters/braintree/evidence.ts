import type { EvidenceRequirements, RawObject, Receipt, SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { confirmed, tooLate } from './accept.ts'
import type { BraintreeClient } from './client.ts'
import { replyByEnd } from './days.ts'
import { attach, withdraw } from './documents/attach.ts'
import { unanswered } from './errors.ts'
import { EVIDENCE_LIMITS } from './evidence-limits.ts'
import { guardReference, type ReadDispute, readDispute } from './fetch.ts'
import { submissionVerdict } from './probe.ts'
import { Refusal, STATE_CODES } from './refusals.ts'
import { foreignSentence, standingOf } from './standing.ts'
import { OPEN, pspStatusOf } from './vocabulary.ts'

/** What this dispute takes now. @throws PspError of any kind that a read has */
export async function describeEvidence(client: BraintreeClient, reference: string): Promise<EvidenceRequirements> {
  return requirementsOf((await readDispute(client, reference)).raw)
}

/** Pure part of `describeEvidence`: the static limits, with the storage that this dispute has left. */
export function requirementsOf(raw: RawObject): EvidenceRequirements {
  const dispute: unknown = JSON.parse(raw.text)
  const replyBy = at(dispute, 'replyByDate')
  const left = at(dispute, 'remainingFileEvidenceStorage')
  const maxTotalBytes = Number.isSafeInteger(left) ? Math.max(0, left as number) : EVIDENCE_LIMITS.maxTotalBytes
  const dueDate = typeof replyBy === 'string' ? replyByEnd(replyBy) : null
  const reason = refusalOf(String(at(dispute, 'status')), dueDate, at(dispute, 'preDisputeProgram'))
  return { ...EVIDENCE_LIMITS, maxTotalBytes, answerable: reason === null, reason, dueDate, oneShot: true }
}

/** The status decides, not the clock: how late in the day of reply-by Braintree still takes an answer is not known. */
function refusalOf(status: string, dueDate: string | null, program: unknown): string | null {
  if (pspStatusOf(status) === 'unknown')
    return 'Braintree has this dispute in a status that this version does not know.'
  if (status !== OPEN) return tooLate(status)
  if (program === 'visa_rdr') return 'Visa Rapid Dispute Resolution decided this dispute: it takes no answer.'
  return dueDate === null ? 'Braintree names no reply-by date: the dispute takes no answer.' : null
}

/**
 * Attaches documents and texts to the open dispute; nothing goes out before it is finalized. What an earlier attempt or
 * another packet of ours left there is taken away first. What somebody else put there never is: it would go out with
 * ours, and ends the submission.
 */
export async function stageEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  const before = await readDispute(client, guardReference(request.reference))
  refuseUnanswerable(before)
  refuseWithoutDocument(request)
  const staged = await attachWhileOpen(client, request, before)
  return { result: staged ? 'applied' : 'already_applied', requestId: null }
}

/**
 * Finalizes the dispute: everything attached goes to the processor, once for ever. It is read right before, and finalized
 * only when everything of ours is there and nothing else.
 * @throws PspError rejected_final when other evidence went out or would, or the dispute is decided
 */
export async function submitEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  guardReference(request.reference)
  for (let reading = 0; reading < READINGS; reading++) {
    const before = await readDispute(client, request.reference)
    if (before.status !== OPEN) return settled(before, request)
    refuseUnanswerable(before)
    refuseWithoutDocument(request)
    if (!(await attachWhileOpen(client, request, before))) return finalize(client, request)
  }
  throw new PspError('unavailable', 'The evidence at Braintree changes while it is sent. It is tried again later.')
}

/** Of an attempt: one that attaches, one that finds it all there, one for whoever takes something away meanwhile. */
const READINGS = 3

async function finalize(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  const { reference } = request
  try {
    await client.act((gateway) => gateway.dispute.finalize(reference))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (!error.has(STATE_CODES)) return await refused(client, request, error)
    const after = await readDispute(client, reference)
    if (after.status === OPEN) throw error
    return settled(after, request)
  }
  // Only what can be read there went out; the next attempt reads again first.
  const { answer } = submissionVerdict(await confirmed(client, reference), { ...request, sent: true })
  if (answer !== 'done') throw unanswered('write')
  return { result: 'applied', requestId: null }
}

/** @throws PspError rejected_final unless ours is what went out, outcome_unknown where that can't be told */
function settled(dispute: ReadDispute, request: SubmissionRequest): Receipt {
  const { answer, why } = submissionVerdict(dispute, { ...request, sent: true })
  if (answer === 'done') return { result: 'already_applied', requestId: null }
  throw answer === 'unknown' ? unanswered('write') : new PspError('rejected_final', why)
}

function refuseUnanswerable(dispute: ReadDispute): void {
  const { reason } = requirementsOf(dispute.raw)
  if (reason !== null) throw new PspError('rejected_final', reason)
}

/**
 * A document tells whose a submission is, so that none goes out without: Braintree finalizes a dispute without evidence,
 * and then it is lost, and two of the same words could not be told apart.
 */
function refuseWithoutDocument({ files }: SubmissionRequest): void {
  if (Object.keys(files).length === 0) throw new Refusal(['95726'])
}

/** False when all of it is there already. @throws PspError rejected_final when it can't be sent, whatever is tried */
async function attachWhileOpen(client: BraintreeClient, request: SubmissionRequest, before: ReadDispute) {
  const standing = standingOf(before.evidence, request)
  if (standing.foreign.length > 0)
    return refused(client, request, new PspError('rejected_final', foreignSentence(standing.foreign)))
  try {
    return await attach(client, request, standing)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (!error.has(STATE_CODES)) return refused(client, request, error)
    refuseUnanswerable(await readDispute(client, request.reference))
    throw error
  }
}

/** The submission fails, and leaves nothing of ours for somebody else to send. */
async function refused(client: BraintreeClient, request: SubmissionRequest, error: PspError): Promise<never> {
  await withdraw(client, request)
  throw error
}
