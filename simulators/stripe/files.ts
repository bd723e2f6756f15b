import type { FileRecord } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'
import type { Window } from '../engine/timeline.ts'
import type { StripeRequest } from './endpoint.ts'
import { badParameter, missingObject } from './errors.ts'
import { listText, windowOf } from './lists.ts'
import { fileObject } from './objects.ts'
import { textOf } from './parameters.ts'

const LARGEST = 5 * 1024 * 1024
const PURPOSES = ['account_requirement', 'additional_verification', 'business_icon', 'business_logo']
const KNOWN_PURPOSES = [...PURPOSES, 'customer_signature', 'dispute_evidence', 'identity_document', 'pci_document']
const MAGIC: readonly (readonly [type: string, start: string])[] = [
  ['pdf', '%PDF-'],
  ['jpg', '\u00ff\u00d8\u00ff'],
  ['png', '\u0089PNG\r\n\u001a\n'],
]

/** POST /v1/files, multipart: the bytes are kept. */
export function createFile(request: StripeRequest): string {
  const { engine, account, upload, parameters, idempotencyKey, requestId } = request
  const purpose = textOf(parameters, 'purpose')
  if (purpose === undefined) throw badParameter('purpose', 'Missing required param: purpose.', 'parameter_missing')
  if (!KNOWN_PURPOSES.includes(purpose)) throw badParameter('purpose', `Invalid purpose: ${purpose}`)
  if (!upload) throw badParameter('file', 'Missing required param: file.', 'parameter_missing')
  if (upload.bytes.length > LARGEST) throw badParameter('file', 'Evidence files may have at most 5 MB.')
  const type = typeOf(upload.bytes)
  if (type === null) throw badParameter('file', 'Only PDF, JPEG and PNG files are accepted.')
  const sequence = engine.nextNumber(account)
  const file: FileRecord = {
    id: `file_1${tokenOf(22, engine.seed, 'file', account.id, sequence)}`,
    account: account.id,
    at: engine.now(),
    sequence,
    name: upload.name,
    purpose,
    type,
    bytes: upload.bytes.length,
    sha256: upload.sha256,
    content: upload.bytes,
  }
  engine.insertFile(file)
  engine.ledger.effect({
    kind: 'upload',
    account: account.id,
    ref: null,
    round: 1,
    idempotencyKey,
    requestId,
    details: { file: file.id, name: file.name, bytes: file.bytes, sha256: file.sha256, purpose },
  })
  return JSON.stringify(fileObject(file))
}

/** Detected from its first bytes, whatever the name. */
function typeOf(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 8).toString('latin1')
  return MAGIC.find(([, magic]) => start.startsWith(magic))?.[0] ?? null
}

export function retrieveFile({ account, id }: StripeRequest): string {
  const file = account.fileById.get(id)
  if (!file) throw missingObject('file upload', id, 'file')
  return JSON.stringify(fileObject(file))
}

export function listFiles({ account, parameters }: StripeRequest): string {
  const window: Window<FileRecord> = windowOf(parameters, 'file upload', (id) => account.fileById.get(id))
  const purpose = textOf(parameters, 'purpose')
  if (purpose !== undefined) window.matches = (file) => file.purpose === purpose
  const { items, hasMore } = account.files.page(window)
  return listText(
    '/v1/files',
    items.map((file) => JSON.stringify(fileObject(file))),
    hasMore,
  )
}
