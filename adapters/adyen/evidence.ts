import type { ChargebackFacts } from '../../domain/chargeback.ts'
import type { DocumentContent, EvidenceRequirements, Receipt, SubmissionRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { explain, tooLate } from './accept.ts'
import type { AdyenClient, Document, Reason } from './client.ts'
import { noResponse } from './errors.ts'
import {
  DISCOVER_BYTES,
  EVIDENCE_LIMITS,
  FILE_BYTES,
  KLARNA_TYPES,
  MASTERCARD_PAGES,
  MEXICO_BYTES,
  RFI_PAGES,
} from './evidence-limits.ts'
import { type DisputeState, readState } from './fetch.ts'
import { refuseForeign } from './foreign-documents.ts'
import { type Mailbox, storeMark } from './inbox.ts'
import { submissionVerdict } from './probe.ts'
import { chooseReason, fieldOf, groupsOf, placeOf } from './reasons.ts'
import { toChargeback } from './translate.ts'

/** The current requirements of a dispute: asks Adyen for its defence reasons and chooses one. */
export async function describeEvidence(
  client: AdyenClient,
  mailbox: Mailbox,
  now: Date,
  reference: string,
): Promise<EvidenceRequirements> {
  const state = await readState(mailbox, reference)
  return requirementsOf(state, await client.reasons(reference), now)
}

/** Pure part of `describeEvidence`. `reasons` is null when Adyen refused to list any. */
export function requirementsOf(
  state: DisputeState,
  reasons: readonly Reason[] | null,
  now: Date,
): EvidenceRequirements {
  const translation = toChargeback(state.raw)
  const facts = translation.kind === 'chargeback' ? translation.facts : null
  const chosen = chooseReason(reasons ?? [], facts?.reasonCode ?? null)
  const why =
    refusalOf(state, now) ??
    (chosen === null ? 'Adyen names no way to defend this dispute: the scheme takes no answer.' : null)
  const fields = chosen?.documents.map(({ type }) => fieldOf(chosen.code, type)) ?? []
  return {
    ...EVIDENCE_LIMITS,
    maxFileBytes: largestFile(facts),
    ...(facts?.paymentMethod === 'klarna' && { fileTypes: KLARNA_TYPES }),
    maxPages: mostPages(facts),
    fileFields: fields.length > 0 ? fields : EVIDENCE_LIMITS.fileFields,
    maxFiles: Math.max(1, fields.length),
    requiredFields: chosen ? groupsOf(chosen).map((group) => group.map((type) => fieldOf(chosen.code, type))) : [],
    answerable: why === null,
    reason: why,
    dueDate: state.projection.dueDate,
    oneShot: true,
    submissions: state.projection.suppliedCount,
  }
}

/**
 * Limits beyond those of each type. A payment in Mexican pesos counts as one in Mexico, because nothing else shows the
 * country.
 */
function largestFile(facts: ChargebackFacts | null): number {
  if (facts?.currency === 'MXN') return MEXICO_BYTES
  return facts?.cardScheme === 'discover' || facts?.cardScheme === 'diners'
    ? DISCOVER_BYTES
    : EVIDENCE_LIMITS.maxFileBytes
}

/** A dispute without a scheme may be a Mastercard dispute. */
function mostPages(facts: ChargebackFacts | null): number | null {
  if (facts?.lifecycleStage === 'inquiry') return RFI_PAGES
  return ['mastercard', 'maestro', undefined].includes(facts?.cardScheme ?? undefined) ? MASTERCARD_PAGES : null
}

/** Why it can't be contested, according to its notifications; null when it can. */
function refusalOf({ projection }: DisputeState, now: Date): string | null {
  if (projection.pspStatus !== 'needs_response') return tooLate(projection)
  if (projection.dueDate === null) return 'Adyen gave no date by which it could be answered.'
  return Date.parse(projection.dueDate) <= now.getTime() ? 'The due date has passed.' : null
}

/** Uploads all documents in one call. Nothing is sent to the issuer yet, and a type uploaded again is replaced. */
export async function stageEvidence(
  client: AdyenClient,
  mailbox: Mailbox,
  now: Date,
  request: SubmissionRequest,
): Promise<Receipt> {
  const { reference, digest } = request
  const before = await readState(mailbox, reference)
  const documents = documentsOf(request)
  refuseUnanswerable(before, now)
  if (before.staged === digest && (await allThere(client, reference, request))) {
    return { result: 'already_applied', requestId: null }
  }
  await refuseForeign(client, before)
  const types = documents.map(({ type }) => type)
  const others = before.uploaded.filter((type) => !types.includes(type))
  if (!(await takeBack(client, request, others))) return explain(client, mailbox, now, reference)
  const mark = { reference, digest, at: now }
  const refused = () => storeMark(mailbox, { ...mark, recoup: 'upload_refused' })
  await storeMark(mailbox, { ...mark, recoup: 'upload', types })
  const key = `${request.idempotencyKey}|${digest}`
  const { success, requestId } = await client.supply(reference, documents, key).catch(async (error: unknown) => {
    if (!mayHaveArrived(error)) await refused()
    throw error
  })
  if (!success) {
    await refused()
    return explain(client, mailbox, now, reference)
  }
  await storeMark(mailbox, { ...mark, recoup: 'staging' })
  return { result: 'applied', requestId }
}

function mayHaveArrived(error: unknown): boolean {
  return !(error instanceof PspError) || error.kind === 'outcome_unknown'
}

/**
 * Deletes documents of an earlier upload by Recoup, which would otherwise be sent with this defence, because an
 * upload replaces only its own type. Keeps what the merchant uploaded in the Customer Area. @returns false when Adyen
 * keeps one
 */
async function takeBack(client: AdyenClient, request: SubmissionRequest, types: readonly string[]): Promise<boolean> {
  if (types.length === 0) return true
  const { reference, idempotencyKey } = request
  const there = new Set(
    ((await client.reasons(reference)) ?? [])
      .flatMap(({ documents }) => documents)
      .flatMap(({ type, available }) => (available ? [type] : [])),
  )
  for (const type of types) {
    if (there.has(type) && !(await client.remove(reference, type, idempotencyKey)).success) return false
  }
  return true
}

/** Whether Adyen has a document in each place. It does not say whose; the mark with the digest does. */
async function allThere(client: AdyenClient, reference: string, request: SubmissionRequest): Promise<boolean> {
  const reasons = (await client.reasons(reference)) ?? []
  return placesOf(request).every(({ reason, document }) =>
    reasons.some(
      ({ code, documents }) =>
        code === reason && documents.some(({ type, available }) => type === document && available),
    ),
  )
}

/**
 * Sends the defence to the issuer, once. Adyen's "success" announces it; INFORMATION_SUPPLIED confirms it.
 * @throws PspError rejected_final when other evidence was sent, the due date has passed or the dispute is decided
 */
export async function submitEvidence(
  client: AdyenClient,
  mailbox: Mailbox,
  now: Date,
  request: SubmissionRequest,
): Promise<Receipt> {
  const { reference, digest } = request
  const question = { digest, submissionsBefore: 0, sent: request.sent === true }
  const before = await readState(mailbox, reference)
  const receipt = receiptFor(before, question)
  if (receipt) return receipt
  refuseUnanswerable(before, now)
  const [place] = placesOf(request)
  for (const content of Object.values(request.documents ?? {})) refuseFile(content)
  if (!place) throw new PspError('invalid_request', 'Adyen takes documents only: put at least one into the evidence.')
  await refuseForeign(client, before)
  const { success, requestId } = await client.defend(reference, place.reason, `${request.idempotencyKey}|${digest}`)
  if (success) {
    await storeMark(mailbox, { recoup: 'defense', reference, digest, at: now })
    return { result: 'pending', requestId }
  }
  return receiptFor(await readState(mailbox, reference), question) ?? explain(client, mailbox, now, reference)
}

/**
 * A receipt when it was sent, null when it can be sent. @throws PspError when it never can, or the outcome is unknown
 */
function receiptFor(state: DisputeState, question: Parameters<typeof submissionVerdict>[1]): Receipt | null {
  if (state.projection.pspStatus === 'needs_response') return null
  const { answer, why } = submissionVerdict(state, question)
  if (answer === 'done') return { result: 'already_applied', requestId: null }
  if (answer === 'impossible') throw new PspError('rejected_final', why)
  // Adyen accepted the defence and closed the dispute without confirming it.
  if (state.sent.includes(question.digest)) throw noResponse('write')
  return null
}

function refuseUnanswerable(state: DisputeState, now: Date): void {
  if (state.projection.pspStatus === 'unknown') {
    throw new PspError('invalid_request', 'Adyen has this dispute in a state that this version does not know.')
  }
  const reason = refusalOf(state, now)
  if (reason !== null) throw new PspError('rejected_final', reason)
}

function placesOf({ files, documents }: SubmissionRequest): { reason: string; document: string }[] {
  const fields = [...Object.keys(documents ?? {}), ...Object.keys(files)]
  return [...new Set(fields)].sort().map(placeOf)
}

/** @throws PspError invalid_request for a request that Adyen would refuse */
function documentsOf({ documents }: SubmissionRequest): Document[] {
  const entries = Object.entries(documents ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) throw new PspError('invalid_request', 'There is no document to upload to Adyen.')
  return entries.map(([field, content]) => {
    refuseFile(content)
    return { content: content.data, contentType: content.type, type: placeOf(field).document }
  })
}

function refuseFile({ type, data }: DocumentContent): void {
  const limit = FILE_BYTES[type]
  if (limit === undefined)
    throw new PspError('invalid_request', 'Adyen takes PDF, JPEG and TIFF files as evidence, no PNG.')
  if (data.byteLength > limit) {
    throw new PspError('invalid_request', 'Adyen takes PDF files of at most 2 MB and pictures of at most 10 MB.')
  }
}
