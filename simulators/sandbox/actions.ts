import { createHash } from 'node:crypto'
import { EVIDENCE_LIMITS, requiredFieldsOf } from '../../adapters/sandbox/evidence-limits.ts'
import {
  applyAcceptance,
  applySubmission,
  refusalOfAcceptance,
  refusalOfEvidence,
} from '../../adapters/sandbox/rules.ts'
import { asRecord } from '../../adapters/shared/raw-json.ts'
import type { DisputeRecord, FileRecord, JsonObject } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'
import { buildTransaction } from './chargeback.ts'
import type { SandboxRequest } from './endpoint.ts'
import { SandboxRefusal } from './responses.ts'

/** Seconds until the sandbox decides by `winning_evidence` and `losing_evidence` in a text. */
const DECIDES_AFTER = 3

function recordOf({ account, id }: SandboxRequest): DisputeRecord {
  const record = account.byReference.get(id)
  if (!record) throw new SandboxRefusal(404, 'not_found', 'There is no such chargeback.')
  return record
}

export function retrieve(request: SandboxRequest): string {
  return request.engine.text(recordOf(request))
}

export function retrieveTransaction(request: SandboxRequest): string {
  const { plan } = recordOf(request)
  if (!plan) throw new SandboxRefusal(404, 'not_found', 'There is no such transaction.')
  return JSON.stringify(buildTransaction(plan))
}

export function accept(request: SandboxRequest): string {
  const { engine, account, idempotencyKey, requestId } = request
  const record = recordOf(request)
  const refusal = refusalOfAcceptance(engine.read(record))
  if (refusal !== null) throw new SandboxRefusal(422, 'not_answerable', refusal, true)
  engine.setPending(record, null)
  engine.change(record, (object) => applyAcceptance(object, new Date(engine.now() * 1000)))
  const { reference: ref, round } = record
  const effect = { account: account.id, ref, round, idempotencyKey, requestId }
  engine.ledger.effect({ kind: 'acceptance', ...effect, details: {} })
  return engine.text(record)
}

export function upload(request: SandboxRequest): string {
  const { engine, account, body, idempotencyKey, requestId } = request
  recordOf(request)
  const { name, type } = body
  const content = Buffer.from(String(body.content ?? ''), 'base64')
  if (typeof name !== 'string' || !EVIDENCE_LIMITS.fileTypes.includes(String(type)) || content.length === 0) {
    throw new SandboxRefusal(400, 'invalid_request', 'A file has a name, a known type and content in base64.')
  }
  if (content.length > EVIDENCE_LIMITS.maxFileBytes)
    throw new SandboxRefusal(400, 'invalid_request', `A file has at most ${EVIDENCE_LIMITS.maxFileBytes} bytes.`)
  const sequence = engine.nextNumber(account)
  const file: FileRecord = {
    id: `file_${tokenOf(20, engine.seed, 'file', account.id, sequence)}`,
    account: account.id,
    at: engine.now(),
    sequence,
    name,
    purpose: 'evidence',
    type: String(type),
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    content,
  }
  engine.insertFile(file)
  const details: JsonObject = { file: file.id, name, bytes: file.bytes, sha256: file.sha256 }
  engine.ledger.effect({ kind: 'upload', account: account.id, ref: null, round: 1, idempotencyKey, requestId, details })
  return JSON.stringify({ fileId: file.id })
}

export function submit(request: SandboxRequest): string {
  const { engine, account, body, idempotencyKey, requestId } = request
  const record = recordOf(request)
  const { digest } = body
  const [files, texts] = [asRecord(body.files) ?? {}, asRecord(body.texts) ?? {}]
  if (typeof digest !== 'string' || Object.keys({ ...files, ...texts }).length === 0)
    throw new SandboxRefusal(400, 'invalid_request', 'Evidence has a digest, and files or texts.')
  for (const [field, id] of Object.entries(files)) {
    if (!EVIDENCE_LIMITS.fileFields.includes(field) || !account.fileById.has(String(id)))
      throw new SandboxRefusal(400, 'invalid_request', 'A file or its place is not known.')
  }
  for (const [field, text] of Object.entries(texts)) {
    const limit = EVIDENCE_LIMITS.textFields[field] ?? 0
    if (typeof text !== 'string' || text.length === 0 || text.length > limit)
      throw new SandboxRefusal(400, 'invalid_request', 'A text is not known, empty or too long.')
  }
  const required = requiredFieldsOf(engine.read(record).reason)
  if (!required.every((group) => group.some((field) => field in files)))
    throw new SandboxRefusal(400, 'invalid_request', 'A document is missing that is required for this reason.')
  const refusal = refusalOfEvidence(engine.read(record), new Date(engine.now() * 1000))
  if (refusal !== null) throw new SandboxRefusal(422, 'not_answerable', refusal, true)
  engine.change(record, (object) => applySubmission(object, digest, new Date(engine.now() * 1000)))
  const { reference: ref, round } = record
  const details = { digest, files, texts } as JsonObject
  engine.ledger.effect({ kind: 'submission', account: account.id, ref, round, idempotencyKey, requestId, details })
  decideByText(request, record, Object.values(texts))
  return engine.text(record)
}

/** Two texts decide a case, so that clients can test both outcomes. */
function decideByText({ engine }: SandboxRequest, record: DisputeRecord, texts: readonly unknown[]): void {
  const outcome = texts.includes('winning_evidence') ? 'won' : texts.includes('losing_evidence') ? 'lost' : null
  if (outcome !== null) engine.setPending(record, { at: engine.now() + DECIDES_AFTER, outcome })
}
