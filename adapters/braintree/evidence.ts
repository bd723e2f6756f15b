import type { EvidenceRequirements, RawObject, Receipt, SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../facts.ts'
import { confirmed, tooLate } from './accept.ts'
import { attach } from './attach.ts'
import type { BraintreeClient } from './client.ts'
import { unanswered } from './errors.ts'
import { EVIDENCE_LIMITS } from './evidence-limits.ts'
import { instantOf } from './facts.ts'
import { guardReference, type ReadDispute, readDispute } from './fetch.ts'
import { submissionVerdict } from './probe.ts'
import { Refusal, STATE_CODES } from './refusals.ts'
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
  const dueDate = typeof replyBy === 'string' ? instantOf(replyBy) : null
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
 * Attaches documents and texts to the open dispute, our mark last; nothing goes out before it is finalized. What an
 * earlier attempt or another packet of ours left there is taken away first, what the merchant put there never.
 */
export async function stageEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  const before = await readDispute(client, guardReference(request.reference))
  refuseUnanswerable(before)
  const staged = await attachWhileOpen(client, request, before)
  return { result: staged ? 'applied' : 'already_applied', requestId: null }
}

/**
 * Finalizes the dispute: everything attached goes to the processor, once for ever.
 * @throws PspError rejected_final when other evidence went out or the dispute is decided
 */
export async function submitEvidence(client: BraintreeClient, request: SubmissionRequest): Promise<Receipt> {
  const reference = guardReference(request.reference)
  const before = await readDispute(client, reference)
  if (before.status !== OPEN) return settled(before, request.digest)
  refuseUnanswerable(before)
  // Braintree finalizes a dispute without evidence, and then it is lost.
  if (Object.keys(request.files).length + Object.keys(request.texts).length === 0) throw new Refusal(['95726'])
  await attachWhileOpen(client, request, before)
  try {
    await client.act((gateway) => gateway.dispute.finalize(reference))
  } catch (error) {
    if (!(error instanceof Refusal) || !error.has(STATE_CODES)) throw error
    const after = await readDispute(client, reference)
    if (after.status === OPEN) throw error
    return settled(after, request.digest)
  }
  // Only what can be read there went out; the next attempt reads again first.
  const { answer } = submissionVerdict(await confirmed(client, reference), request.digest)
  if (answer !== 'done') throw unanswered('write')
  return { result: 'applied', requestId: null }
}

/** @throws PspError rejected_final unless ours is what went out, outcome_unknown where that can't be told */
function settled(dispute: ReadDispute, digest: string): Receipt {
  const { answer, why } = submissionVerdict(dispute, digest)
  if (answer === 'done') return { result: 'already_applied', requestId: null }
  throw answer === 'unknown' ? unanswered('write') : new PspError('rejected_final', why)
}

function refuseUnanswerable(dispute: ReadDispute): void {
  const { reason } = requirementsOf(dispute.raw)
  if (reason !== null) throw new PspError('rejected_final', reason)
}

/** False when all of it is there already. @throws PspError rejected_final when the dispute closed in the meantime */
async function attachWhileOpen(client: BraintreeClient, request: SubmissionRequest, before: ReadDispute) {
  try {
    return await attach(client, request, before.evidence)
  } catch (error) {
    if (!(error instanceof Refusal) || !error.has(STATE_CODES)) throw error
    refuseUnanswerable(await readDispute(client, request.reference))
    throw error
  }
}
