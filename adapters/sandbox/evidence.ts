import { createHash } from 'node:crypto'
import type { EvidenceRequirements, Receipt, SubmissionRequest, UploadRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { pathOf } from './client.ts'
import { noResponse } from './errors.ts'
import { EVIDENCE_LIMITS, requiredFieldsOf } from './evidence-limits.ts'
import { readChargeback, type Sandbox } from './fetch.ts'
import { storeWrite } from './inbox.ts'
import { dueDateOf, marksOf, refusalOfEvidence } from './rules.ts'

/** The current requirements of a chargeback. @throws PspError of any kind that a read has */
export async function describeEvidence(sandbox: Sandbox, reference: string): Promise<EvidenceRequirements> {
  const { shape } = await readChargeback(sandbox, reference)
  const reason = refusalOfEvidence(shape, sandbox.now())
  return {
    ...EVIDENCE_LIMITS,
    answerable: reason === null,
    reason,
    dueDate: dueDateOf(shape)?.toISOString() ?? null,
    oneShot: true,
    requiredFields: requiredFieldsOf(shape.reason),
    submissions: marksOf(shape).submissions,
  }
}

/** Uploads a file as a piece of evidence. Posted raw data has no PSP, so the file is only checked. */
export async function uploadFile(sandbox: Sandbox, request: UploadRequest): Promise<{ fileReference: string }> {
  const { name, type, data } = request.file
  if (!EVIDENCE_LIMITS.fileTypes.includes(type) || data.byteLength > EVIDENCE_LIMITS.maxFileBytes) {
    throw new PspError('invalid_request', 'The sandbox PSP takes PDF, JPEG and PNG files of at most 6 MB as evidence.')
  }
  const { posted } = await readChargeback(sandbox, request.reference)
  if (posted || sandbox.client === null) {
    return { fileReference: `file_${createHash('sha256').update(data).digest('hex').slice(0, 24)}` }
  }
  const content = Buffer.from(data).toString('base64')
  const path = `${pathOf(request.reference)}/files`
  const { value } = await sandbox.client.write(path, request.idempotencyKey, { name, type, content })
  if (typeof value.fileId !== 'string') throw noResponse('write')
  return { fileReference: value.fileId }
}

/**
 * Submits once per round.
 * @throws PspError rejected_final when other evidence was sent, the due date has passed or the chargeback is decided
 */
export async function submitEvidence(sandbox: Sandbox, request: SubmissionRequest): Promise<Receipt> {
  const { reference, digest, files, texts, idempotencyKey, sent = false } = request
  const { shape, posted } = await readChargeback(sandbox, reference)
  if (sent && marksOf(shape).evidenceDigest === digest) return { result: 'already_applied', requestId: null }
  const refusal = refusalOfEvidence(shape, sandbox.now())
  if (refusal !== null) throw new PspError('rejected_final', refusal)
  if (posted || sandbox.client === null) {
    await storeWrite(sandbox.inbox, { recoup: 'submission', chargebackId: reference, at: sandbox.now(), digest })
    return { result: 'applied', requestId: null }
  }
  try {
    const body = { digest, files, texts }
    const answer = await sandbox.client.write(`${pathOf(reference)}/evidence`, idempotencyKey, body)
    const counted = marksOf(answer.value).evidenceDigest === digest
    return { result: counted ? 'applied' : 'pending', requestId: answer.requestId }
  } catch (error) {
    if (!(error instanceof PspError) || error.kind !== 'rejected_final') throw error
    const after = await readChargeback(sandbox, reference)
    if (sent && marksOf(after.shape).evidenceDigest === digest) return { result: 'already_applied', requestId: null }
    throw error
  }
}
