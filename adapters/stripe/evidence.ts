import type { EvidenceRequirements, RawObject, Receipt, SubmissionRequest, UploadRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { at } from '../shared/facts.ts'
import { tooLate } from './accept.ts'
import type { EvidenceParam, StripeClient } from './client.ts'
import { asksForPurchases, COMPELLING_EVIDENCE, isCompelling, missingFrom, structured } from './compelling-evidence.ts'
import { APPEAL_FILES, APPEAL_REASON, CLEARED, EVIDENCE_LIMITS, MASTERCARD_PAGES } from './evidence-limits.ts'
import { DIGEST_KEY, type Expansion, guardReference, type ReadDispute, readDispute } from './fetch.ts'
import { refuseForeign, withFeeHint } from './obstacles.ts'
import { submissionVerdict } from './probe.ts'
import { ANSWERABLE } from './vocabulary.ts'

/** The current requirements of a dispute. @throws PspError of any kind that a read has */
export async function describeEvidence(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  reference: string,
): Promise<EvidenceRequirements> {
  return requirementsOf((await readDispute(client, expansion, reference)).raw, now)
}

/** Pure part of `describeEvidence`. */
export function requirementsOf(raw: RawObject, now: Date): EvidenceRequirements {
  const dispute: unknown = JSON.parse(raw.text)
  const dueBy = at(dispute, 'evidence_details.due_by')
  const due = Number.isSafeInteger(dueBy) && dueBy !== 0 ? new Date((dueBy as number) * 1000) : null
  const reason = refusalOf(dispute, due, now)
  const mastercard = at(dispute, 'payment_method_details.card.network') === 'mastercard'
  const appeal = at(dispute, 'status') === 'appeal_needs_response'
  return {
    ...EVIDENCE_LIMITS,
    ...(mastercard && { maxPages: MASTERCARD_PAGES }),
    ...(appeal && { fileFields: APPEAL_FILES, maxFiles: APPEAL_FILES.length, textFields: { [APPEAL_REASON]: 20_000 } }),
    answerable: reason === null,
    reason,
    dueDate: due?.toISOString() ?? null,
    oneShot: true,
    submissions: Number(at(dispute, 'evidence_details.submission_count') ?? 0),
    ...(!appeal && asksForPurchases(dispute) && { compellingEvidence: true }),
  }
}

/**
 * Whether the bank requests evidence again after a submission: earlier evidence was for the earlier stage (inquiry or
 * chargeback) and does not count, whether or not Stripe resets its counter.
 */
const ASKS_AGAIN = ['needs_response', 'appeal_needs_response']

function refusalOf(dispute: unknown, due: Date | null, now: Date): string | null {
  const status = String(at(dispute, 'status'))
  const submissions = Number(at(dispute, 'evidence_details.submission_count') ?? 0)
  if (!ANSWERABLE.includes(status)) return tooLate(status)
  if (due === null) return 'The bank takes no response to this dispute.'
  if (due <= now || at(dispute, 'evidence_details.past_due') === true) return 'The due date has passed.'
  if (submissions > 0 && !ASKS_AGAIN.includes(status)) {
    return 'Evidence was submitted already: Stripe takes one submission only.'
  }
  const klarna = at(dispute, 'payment_method_details.type') === 'klarna'
  // Stripe accepts evidence for these and then ignores it.
  if (klarna && status.startsWith('warning_')) return 'Klarna looks at no evidence while it is only an inquiry.'
  return null
}

/** Uploads a file to Stripe as a piece of evidence; unused ones expire after nine months. */
export async function uploadFile(client: StripeClient, request: UploadRequest): Promise<{ fileReference: string }> {
  const { name, type, data } = request.file
  if (!EVIDENCE_LIMITS.fileTypes.includes(type) || data.byteLength > EVIDENCE_LIMITS.maxFileBytes) {
    throw new PspError('invalid_request', 'Stripe takes PDF, JPEG and PNG files of at most 5 MB as evidence.')
  }
  // A buffer, because the SDK would encode a string as UTF-8 and corrupt the file.
  const file = { data: Buffer.from(data), name, type }
  const answer = await client.write('file', request.idempotencyKey, (sdk, options) =>
    sdk.files.create({ purpose: 'dispute_evidence', file }, options),
  )
  return { fileReference: answer.value.id }
}

/**
 * Stages the evidence at Stripe without sending it to the bank. Stripe also checks the page limit here. Optional parts
 * are tried first and left out if Stripe refuses them, so that they don't prevent the submission.
 */
export async function stageEvidence(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  request: SubmissionRequest,
): Promise<Receipt> {
  const before = await readDispute(client, expansion, guardReference(request.reference))
  if (before.evidenceDigest === request.digest) {
    const leftOut = missingFrom(JSON.parse(before.raw.text), request.texts)
    return { result: 'already_applied', requestId: null, ...(leftOut.length > 0 && { leftOut }) }
  }
  refuseUnanswerable(before, now)
  refuseForeign(before, request, false)
  const answer = await stageBest(client, request, stagings(before, request)).catch((error: unknown) => {
    throw withFeeHint(error, before)
  })
  const staged = answer.value.metadata?.[DIGEST_KEY] === request.digest
  return { result: staged ? 'applied' : 'pending', requestId: answer.requestId }
}

/**
 * The first of `ways` that Stripe accepts, each with its own key, because Stripe refuses another request under the same
 * key.
 */
async function stageBest(
  client: StripeClient,
  request: SubmissionRequest,
  ways: readonly Extras[],
  count = 1,
): ReturnType<typeof update> {
  const [how = PLAIN, ...poorer] = ways
  try {
    const key = `stage${count === 1 ? '' : `-${count}`}:${request.idempotencyKey}`
    return await update(client, request, key, { submit: false, ...how })
  } catch (error) {
    const refused = error instanceof PspError && error.kind === 'invalid_request'
    if (!refused || poorer.length === 0) throw error
    return stageBest(client, request, poorer, count + 1)
  }
}

interface Extras {
  /** Prevent Smart Disputes from submitting. */
  manually: boolean
  compelling: boolean
  /** Clear fields that an earlier plan by Recoup staged and this one lacks, because they would be sent with it. */
  clearing: boolean
}

const PLAIN: Extras = { manually: false, compelling: false, clearing: false }

function stagings(dispute: ReadDispute, { texts }: SubmissionRequest): Extras[] {
  const manually = optsOut(dispute)
  // The mark is another submission's, which failed or belongs to an earlier round.
  const clearing = dispute.evidenceDigest !== null
  const compelling = Object.keys(texts).some(isCompelling)
  return [
    ...(clearing ? [{ manually, compelling, clearing }] : []),
    { ...PLAIN, manually, compelling },
    // 400 smart_disputes_not_available: there is nothing to opt out of.
    ...(manually ? [{ ...PLAIN, compelling }] : []),
    ...(compelling ? [PLAIN] : []),
  ]
}

/**
 * Submits to the bank, once per request of the bank.
 * @throws PspError rejected_final when other evidence was sent, the due date has passed or the dispute is decided
 */
export async function submitEvidence(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  request: SubmissionRequest,
): Promise<Receipt> {
  const before = await readDispute(client, expansion, guardReference(request.reference))
  if (sentByUs(before, request)) return { result: 'already_applied', requestId: null }
  refuseUnanswerable(before, now)
  refuseForeign(before, request, true)
  try {
    // Compelling evidence was staged, or refused during staging: submit what is staged.
    const how = { ...PLAIN, submit: true }
    const answer = await update(client, request, request.idempotencyKey, how)
    const counted = Number(answer.value.evidence_details?.submission_count) > before.submissionCount
    return { result: counted ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'invalid_request') throw error
    const after = await readDispute(client, expansion, request.reference)
    const { digest, sent = false } = request
    const question = { digest, sent, submissionsBefore: before.submissionCount }
    const { answer, why } = submissionVerdict(after, question)
    if (answer === 'done') return { result: 'already_applied', requestId: null }
    if (answer === 'impossible') throw new PspError('rejected_final', why)
    throw withFeeHint(error, after)
  }
}

function sentByUs(dispute: ReadDispute, { digest, sent = false }: SubmissionRequest): boolean {
  if (ASKS_AGAIN.includes(dispute.status)) return false
  return submissionVerdict(dispute, { digest, sent, submissionsBefore: 0 }).answer === 'done'
}

function refuseUnanswerable(dispute: ReadDispute, now: Date): void {
  const { reason } = requirementsOf(dispute.raw, now)
  if (reason !== null) throw new PspError('rejected_final', reason)
}

/** Whether Smart Disputes might submit before Recoup does. */
function optsOut(dispute: ReadDispute): boolean {
  const method = at(JSON.parse(dispute.raw.text), 'intended_submission_method')
  return method === 'smart_disputes' || method === 'prefer_smart_disputes'
}

/** `submit` is always sent, because Stripe defaults it to true. */
function update(
  client: StripeClient,
  request: SubmissionRequest,
  idempotencyKey: string,
  how: Extras & { submit: boolean },
) {
  return client.write('dispute', idempotencyKey, (sdk, options) =>
    sdk.disputes.update(
      request.reference,
      {
        evidence: evidenceOf(request, how),
        metadata: { [DIGEST_KEY]: request.digest },
        submit: how.submit,
        ...(how.manually && { intended_submission_method: 'manual' }),
      },
      options,
    ),
  )
}

function evidenceOf({ files, texts }: SubmissionRequest, { compelling, clearing }: Extras): EvidenceParam {
  const { [APPEAL_REASON]: reason, ...others } = texts
  const supporting = APPEAL_FILES.flatMap((field) => files[field] ?? [])
  if (reason === undefined && supporting.length === 0) {
    const plain = Object.fromEntries(Object.entries(others).filter(([field]) => !isCompelling(field)))
    const purchases = compelling ? structured(others) : undefined
    const cleared = Object.fromEntries(clearing ? CLEARED.map((field) => [field, '']) : [])
    return {
      ...cleared,
      ...plain,
      ...files,
      ...(purchases && { enhanced_evidence: { [COMPELLING_EVIDENCE]: purchases } }),
    }
  }
  return {
    appeal: {
      card: {
        ...(reason !== undefined && { reason_for_filing: reason }),
        ...(supporting.length > 0 && { supporting_files: supporting }),
      },
    },
  }
}
