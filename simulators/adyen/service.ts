import { createHash } from 'node:crypto'
import type { DisputeRecord, FileRecord, JsonObject } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'
import { type AdyenRequest, Declined, invalid, textOf } from './authenticate.ts'
import { defensesOf, isSatisfied } from './defenses.ts'
import { asDispute, type SimulatedDispute } from './dispute.ts'
import { acceptAtAdyen, defendAtAdyen } from './lifecycle.ts'

const DONE: JsonObject = { disputeServiceResult: { success: true } }
const MEGABYTE = 1024 * 1024
const MOST: Readonly<Record<string, number>> = {
  'application/pdf': 2 * MEGABYTE,
  'image/jpeg': 10 * MEGABYTE,
  'image/tiff': 10 * MEGABYTE,
}

function disputeOf({ engine, record }: AdyenRequest): { record: DisputeRecord; dispute: SimulatedDispute } {
  if (!record) throw new Declined('The dispute could not be found.')
  const dispute = asDispute(engine.read(record))
  if (!dispute.simulated) throw new Declined('The dispute is not available.')
  return { record, dispute }
}

export function retrieveApplicableDefenseReasons(request: AdyenRequest): JsonObject {
  const { dispute } = disputeOf(request)
  const reasons = defensesOf(dispute, request.engine.now())
  return {
    defenseReasons: reasons.map((reason) => ({
      defenseDocumentTypes: reason.documents.map(({ type, level }) => ({
        available: dispute.simulated.documents[type] !== undefined,
        defenseDocumentTypeCode: type,
        requirementLevel: level,
      })),
      defenseReasonCode: reason.code,
      satisfied: isSatisfied(reason, dispute),
    })),
    disputeServiceResult: { success: true },
  }
}

/** All or nothing; a type that is supplied again is replaced. */
export function supplyDefenseDocument(request: AdyenRequest): JsonObject {
  const { engine, body } = request
  const documents = body.defenseDocuments
  if (!Array.isArray(documents) || documents.length === 0)
    throw invalid("Required field 'defenseDocuments' is missing.")
  const { record, dispute } = disputeOf(request)
  const known = defensesOf(dispute, engine.now()).flatMap((reason) => reason.documents.map(({ type }) => type))
  if (known.length === 0) throw new Declined('The dispute is not defendable.')
  const files = documents.map((entry) => {
    const document = typeof entry === 'object' && entry !== null ? (entry as JsonObject) : {}
    const type = textOf(document, 'defenseDocumentTypeCode')
    const contentType = textOf(document, 'contentType')
    const content = decoded(textOf(document, 'content'))
    const most = MOST[contentType]
    if (!known.includes(type)) throw new Declined(`Unknown defense document type ${type}.`)
    if (most === undefined) throw new Declined(`The content type ${contentType} is not supported.`)
    if (content.length > most) throw new Declined('The defense document is too large.')
    if (contentType === 'application/pdf' && !content.toString('latin1', 0, 5).startsWith('%PDF-')) {
      throw new Declined('The defense document is no PDF.')
    }
    return { type, contentType, content }
  })
  const stored = files.map((file) => ({ ...file, id: store(request, file) }))
  engine.change(record, (object) => {
    for (const { type, id } of stored) asDispute(object).simulated.documents[type] = id
  })
  return DONE
}

/** @throws AdyenRefusal 422: standard base64 only */
function decoded(content: string): Buffer {
  const plain = content.replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(plain)) throw invalid("Field 'content' is no base64.")
  return Buffer.from(content, 'base64')
}

function store(request: AdyenRequest, file: { type: string; contentType: string; content: Buffer }): string {
  const { engine, account, record, idempotencyKey, requestId } = request
  const { type, contentType, content } = file
  const sequence = engine.nextNumber(account)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const stored: FileRecord = {
    id: `doc_${tokenOf(22, engine.seed, 'document', account.id, sequence)}`,
    account: account.id,
    at: engine.now(),
    sequence,
    name: type,
    purpose: 'defense',
    type: contentType,
    bytes: content.length,
    sha256,
    content,
  }
  engine.insertFile(stored)
  engine.ledger.effect({
    kind: 'upload',
    account: account.id,
    ref: record?.reference ?? null,
    round: record?.round ?? 1,
    idempotencyKey,
    requestId,
    details: { file: stored.id, name: type, bytes: stored.bytes, sha256, contentType },
  })
  return stored.id
}

export function deleteDisputeDefenseDocument(request: AdyenRequest): JsonObject {
  const type = textOf(request.body, 'defenseDocumentType')
  const { record, dispute } = disputeOf(request)
  if (dispute.simulated.documents[type] === undefined) throw new Declined(`There is no document of type ${type}.`)
  request.engine.change(record, (object) => {
    delete asDispute(object).simulated.documents[type]
  })
  return DONE
}

/** Once, in time, and only with all documents of the reason. */
export function defendDispute(request: AdyenRequest): JsonObject {
  const { engine, account, idempotencyKey, requestId } = request
  const code = textOf(request.body, 'defenseReasonCode')
  const { record, dispute } = disputeOf(request)
  const reasons = defensesOf(dispute, engine.now())
  if (reasons.length === 0) throw new Declined('The dispute is not defendable.')
  const reason = reasons.find((candidate) => candidate.code === code)
  if (!reason) throw new Declined(`The defense reason ${code} is not applicable.`)
  if (!isSatisfied(reason, dispute)) throw new Declined('Not all required defense documents were supplied.')
  engine.setPending(record, null)
  engine.change(record, (object) => defendAtAdyen(object, engine.now()))
  engine.ledger.effect({
    kind: 'submission',
    account: account.id,
    ref: record.reference,
    round: record.round,
    idempotencyKey,
    requestId,
    details: { reason: code, documents: Object.keys(dispute.simulated.documents) },
  })
  return DONE
}

/** Irreversible, while the dispute is open. */
export function acceptDispute(request: AdyenRequest): JsonObject {
  const { engine, account, idempotencyKey, requestId } = request
  const { record, dispute } = disputeOf(request)
  const { open, stage } = dispute.simulated
  if (!open || stage === 'inquiry') throw new Declined('The dispute can not be accepted.')
  engine.setPending(record, null)
  engine.change(record, (object) => acceptAtAdyen(object, engine.now()))
  engine.ledger.effect({
    kind: 'acceptance',
    account: account.id,
    ref: record.reference,
    round: record.round,
    idempotencyKey,
    requestId,
    details: { stage },
  })
  return DONE
}
