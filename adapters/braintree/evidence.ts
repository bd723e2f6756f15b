import type { EvidenceRequirements, RawObject, Receipt, SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { confirmed, tooLate } from './accept.ts'
import type { BraintreeClient } from './client.ts'
import { replyByEnd } from './days.ts'
import { attach, withdraw } from './documents/attach.ts'
import { noResponse } from './errors.ts'
import { compareEvidence, foreignSentence } from './evidence-diff.ts'
import { EVIDENCE_LIMITS } from './evidence-limits.ts'
import { guardReference, type ReadDispute, readDispute } from './fetch.ts'
import { submissionVerdict } from './probe.ts'
import { Refusal, STATE_CODES } from './refusals.ts'
import { OPEN, pspStatusOf } from './vocabulary.ts'

/** The current requirements of a dispute. @throws PspError of any kind that a read has */
export async function describeEvidence(client: BraintreeClient, reference: string): Promise<EvidenceRequirements> {
  return requirementsOf((await readDispute(client, reference)).raw)
}

/** Pure part of `describeEvidence`: the static limits, with the dispute's remaining storage. */
export function requirementsOf(raw: RawObject): EvidenceRequirements {
  const dispute: unknown = JSON.parse(raw.text)
  const replyBy = at(dispute, 'replyByDate')
  const left = at(dispute, 'remainingFileEvidenceStorage')
  const maxTotalBytes = Number.isSafeInteger(left) ? Math.max(0, left as number) : EVIDENCE_LIMITS.maxTotalBytes
  const dueDate = typeof replyBy === 'string' ? replyByEnd(replyBy) : null
  const reason = refusalOf(String(at(dispute, 'status')), dueDate, at(dispute, 'preDisputeProgram'))
  return { ...EVIDENCE_LIMITS, maxTotalBytes, answerable: reason === null, reason, dueDate, oneShot: true }
}

/** Decided by status, not by the clock: how late on the reply-by day Braintree accepts evidence is not documented. */
function refusalOf(status: string, dueDate: string | null, program: unknown): string | null {
  if (pspStatusOf(status) === 'unknown')
    return 'Braintree has this dispute in a status that this version does not know.'
  if (status !== OPEN) return tooLate(status)
  if (program === 'visa_rdr') return 'Visa Rapid Dispute Resolution decided this dispute: it takes no answer.'
  return dueDate === null ? 'Braintree names no reply-by date: the dispute takes no answer.' : null
}

/**
 * Attaches documents and texts to the open dispute; nothing is sent before it is finalized. Entries of an earlier
 * attempt or another packet of Recoup's are removed first. Entries of others are never removed: they would be sent too,
 * so they end the submission.
 */
export async function stageEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  const before = await readDispute(client, guardReference(request.reference))
  refuseUnanswerable(before)
  refuseWithoutDocument(request)
  const staged = await attachWhileOpen(client, request, before)
  return { result: staged ? 'applied' : 'already_applied', requestId: null }
}

/**
 * Finalizes the dispute: everything attached is sent to the processor, irreversibly. It is read right before, and
 * finalized only if Recoup's evidence is complete and alone.
 * @throws PspError rejected_final when other evidence was or would be sent, or the dispute is decided
 */
export async function submitEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  guardReference(request.reference)
  for (let reading = 0; reading < READINGS; reading++) {
    const before = await readDispute(client, request.reference)
    if (before.status !== OPEN) return receiptFor(before, request)
    refuseUnanswerable(before)
    refuseWithoutDocument(request)
    if (!(await attachWhileOpen(client, request, before))) return finalize(client, request)
  }
  throw new PspError('unavailable', 'The evidence at Braintree changes while it is sent. It is tried again later.')
}

/** Tries per attempt: one attaches, one verifies, one more in case somebody removes an entry meanwhile. */
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
    return receiptFor(after, request)
  }
  // Only a read proves the submission; the next attempt reads first.
  const { answer } = submissionVerdict(await confirmed(client, reference), { ...request, sent: true })
  if (answer !== 'done') throw noResponse('write')
  return { result: 'applied', requestId: null }
}

/** @throws PspError rejected_final unless Recoup's evidence was sent, outcome_unknown when that can't be determined */
function receiptFor(dispute: ReadDispute, request: SubmissionRequest): Receipt {
  const { answer, why } = submissionVerdict(dispute, { ...request, sent: true })
  if (answer === 'done') return { result: 'already_applied', requestId: null }
  throw answer === 'unknown' ? noResponse('write') : new PspError('rejected_final', why)
}

function refuseUnanswerable(dispute: ReadDispute): void {
  const { reason } = requirementsOf(dispute.raw)
  if (reason !== null) throw new PspError('rejected_final', reason)
}

/**
 * Requires a document: it identifies the submission. Braintree would finalize a dispute without evidence, which loses
 * it, and two submissions with the same texts could not be told apart.
 */
function refuseWithoutDocument({ files }: SubmissionRequest): void {
  if (Object.keys(files).length === 0) throw new Refusal(['95726'])
}

/** False when it is complete. @throws PspError rejected_final when it can never be sent */
async function attachWhileOpen(client: BraintreeClient, request: SubmissionRequest, before: ReadDispute) {
  const diff = compareEvidence(before.evidence, request)
  if (diff.foreign.length > 0)
    return refused(client, request, new PspError('rejected_final', foreignSentence(diff.foreign)))
  try {
    return await attach(client, request, diff)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (!error.has(STATE_CODES)) return refused(client, request, error)
    refuseUnanswerable(await readDispute(client, request.reference))
    throw error
  }
}

/** Fails the submission and removes Recoup's evidence, so that nobody else sends it. */
async function refused(client: BraintreeClient, request: SubmissionRequest, error: PspError): Promise<never> {
  await withdraw(client, request)
  throw error
}
