import { createHash } from 'node:crypto'
import type { FileRecord } from '../engine/contract.ts'
import { tokenOf } from '../engine/draw.ts'
import { instant } from './dispute.ts'
import { ok } from './disputes.ts'
import type { BraintreeRequest } from './endpoint.ts'
import { invalid } from './errors.ts'
import { element } from './xml.ts'

const LARGEST = 4 * 1024 * 1024
const TYPES: readonly (readonly [extension: RegExp, type: string, start: string])[] = [
  [/\.pdf$/, 'application/pdf', '%PDF-'],
  [/\.png$/, 'image/png', '\u0089PNG\r\n\u001a\n'],
  [/\.jpe?g$/, 'image/jpeg', '\u00ff\u00d8\u00ff'],
]

/** POST /document_uploads, multipart: stores the bytes and reports errors at once. */
export function createUpload(request: BraintreeRequest): { status: 200 | 201; body: string } {
  const { engine, account, upload, requestId } = request
  if (!upload) throw invalid('84906', 'file', 'document-upload')
  const { name, bytes, kind } = upload
  if (kind !== 'evidence_document') throw invalid('84901', 'kind', 'document-upload')
  const type = typeOf(name, bytes)
  const sequence = engine.nextNumber(account)
  const file: FileRecord = {
    id: tokenOf(22, engine.seed, 'upload', account.id, sequence).toLowerCase(),
    account: account.id,
    at: engine.now(),
    sequence,
    name,
    purpose: kind,
    type,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    content: bytes,
  }
  engine.insertFile(file)
  engine.ledger.effect({
    kind: 'upload',
    account: account.id,
    ref: null,
    round: 1,
    idempotencyKey: null,
    requestId,
    details: { file: file.id, name, bytes: file.bytes, sha256: file.sha256, purpose: kind },
  })
  return ok(
    element('documentUpload', {
      id: file.id,
      globalId: Buffer.from(`documentupload_${file.id}`).toString('base64url'),
      kind,
      name,
      contentType: type,
      size: file.bytes,
      expiresAt: instant(engine.now() + 30 * 86_400),
    }),
    201,
  )
}

/** Checks name and first bytes. @throws BraintreeRefusal 84902 to 84906 */
function typeOf(name: string, bytes: Buffer): string {
  const fail = (code: string) => invalid(code, 'file', 'document-upload')
  if (bytes.length === 0) throw fail('84906')
  if (bytes.length > LARGEST) throw fail('84902')
  const known = TYPES.find(([extension]) => extension.test(name))
  if (!known) throw fail('84903')
  const [, type, start] = known
  const text = bytes.toString('latin1')
  if (!text.startsWith(start) || text.includes('/Encrypt')) throw fail('84904')
  if (type === 'application/pdf' && [...text.matchAll(/\/Type\s*\/Page(?!s)/g)].length > 50) throw fail('84905')
  return type
}
