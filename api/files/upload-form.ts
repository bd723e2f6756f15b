import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { ApiError, payloadTooLarge } from '../http/errors.ts'
import { costlyJson } from '../http/json-size.ts'

/** Largest file, to the byte: 6 MB. */
export const FILE_MAX_BYTES = 6_291_456
/** Bytes that a form may have in addition to its file: boundaries, headers, purpose, metadata. */
export const FORM_MAX_BYTES = FILE_MAX_BYTES + 131_072
const METADATA_MAX_BYTES = 10_000
const NAME_MAX = 100
/** More than any legitimate client sends; parsing stops there. */
const MAX_PARTS = 120

/** Control characters, and those that change the text direction: they make a name look like another. */
const UNSAFE_CHARACTERS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/u
const KEYED = /^metadata\[([^[\]]{1,100})\]$/

export interface UploadForm {
  name: string
  content: Buffer
  purpose: string
  /** JSON text of an object, as sent by the client; null when absent. */
  metadata: string | null
}

/**
 * Reads a multipart form with one file. One message names all invalid parts.
 * @throws ApiError 400, 413, 415
 */
export async function readUploadForm(contentType: string | undefined, body: Buffer): Promise<UploadForm> {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? ''))
    throw new ApiError(415, 'unsupported_media_type', 'The body must be sent as multipart/form-data.')
  const parts = await parse(contentType as string, body)
  const faults = [...parts.faults]
  const { file, fields } = parts
  if (!file) faults.push(fields.has('file') ? 'file: Must be a file' : 'file: Required')
  if (file?.content.length === 0) faults.push('file: Is empty')
  if (file && (file.name === '' || [...file.name].length > NAME_MAX))
    faults.push(`file: Its name must have 1 to ${NAME_MAX} characters`)
  if (file && UNSAFE_CHARACTERS.test(file.name)) faults.push('file: Its name holds invalid characters')
  const purpose = fields.get('purpose')
  if (purpose === undefined) faults.push('purpose: Required')
  else if (purpose !== 'evidence_file' && purpose !== 'evidence_image')
    faults.push('purpose: Must be evidence_file or evidence_image')
  const metadata = readMetadata(fields, faults)
  if (faults.length > 0 || !file || purpose === undefined)
    throw new ApiError(400, 'validation_failed', [...new Set(faults)].slice(0, 50).join('; '))
  return { ...file, purpose, metadata }
}

interface Parts {
  file: { name: string; content: Buffer } | null
  fields: Map<string, string>
  faults: string[]
}

const malformed = () =>
  new ApiError(400, 'malformed_form', 'The body is not a complete multipart form: it breaks off or has no boundary.')

function parse(contentType: string, body: Buffer): Promise<Parts> {
  return new Promise((resolve, reject) => {
    const found: Parts = { file: null, fields: new Map(), faults: [] }
    const named = (name: unknown) => JSON.stringify(String(name ?? '').slice(0, 100)).slice(1, -1) || '(no name)'
    let form: InstanceType<typeof Busboy>
    try {
      form = new Busboy({
        headers: { 'content-type': contentType } as BusboyHeaders,
        limits: { parts: MAX_PARTS, fileSize: FILE_MAX_BYTES, fieldSize: METADATA_MAX_BYTES, headerPairs: 20 },
      })
    } catch {
      reject(malformed())
      return
    }
    form.on('file', (field, stream, name) => {
      const chunks: Buffer[] = []
      if (field !== 'file') found.faults.push(`${named(field)}: Unknown part`)
      else if (found.file) found.faults.push('file: Must be given once')
      const kept = field === 'file' && !found.file
      if (kept) found.file = { name: String(name ?? ''), content: Buffer.alloc(0) }
      stream.on('data', (chunk: Buffer) => {
        if (kept) chunks.push(chunk)
      })
      stream.on('limit', () => reject(fileTooLarge()))
      stream.on('error', () => reject(malformed()))
      stream.on('end', () => {
        if (kept && found.file) found.file.content = Buffer.concat(chunks)
      })
    })
    form.on('field', (field, value, _nameCut, cut) => {
      if (value.includes('\ufffd') && !body.includes('\ufffd')) found.faults.push(`${named(field)}: Must be UTF-8`)
      if (cut) found.faults.push(`${named(field)}: Must have at most ${METADATA_MAX_BYTES} bytes`)
      if (!['file', 'purpose', 'metadata'].includes(field) && !KEYED.test(field ?? ''))
        found.faults.push(`${named(field)}: Unknown part`)
      else if (found.fields.has(field)) found.faults.push(`${named(field)}: Must be given once`)
      else found.fields.set(field, value)
    })
    form.on('partsLimit', () => found.faults.push(`body: Must have at most ${MAX_PARTS} parts`))
    form.on('error', () => reject(malformed()))
    form.on('finish', () => resolve(found))
    form.end(body)
  })
}

/** Accepts one of the two spellings; adds errors to `faults`. */
function readMetadata(fields: Map<string, string>, faults: string[]): string | null {
  const text = fields.get('metadata')
  const keyed = [...fields].flatMap(([field, value]) => {
    const key = KEYED.exec(field)?.[1]
    return key === undefined ? [] : [[key, value] as const]
  })
  if (text !== undefined && keyed.length > 0) faults.push('metadata: Must be given in one spelling only')
  if (text !== undefined) {
    const fault = faultOf(text)
    if (fault) faults.push(`metadata: ${fault}`)
    return text
  }
  if (keyed.length === 0) return null
  const object = JSON.stringify(Object.fromEntries(keyed))
  if (Buffer.byteLength(object) > METADATA_MAX_BYTES)
    faults.push(`metadata: Must have at most ${METADATA_MAX_BYTES} bytes`)
  return object
}

function faultOf(text: string): string | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'Must be JSON text of an object'
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'Must be an object'
  if (Object.values(value).includes(null)) return 'Its values must not be null'
  const fault = costlyJson(Buffer.from(text))
  return fault && `Must not be ${fault}`
}

export const fileTooLarge = () => payloadTooLarge('The file exceeds the maximum size of 6 MB (6,291,456 bytes).')

export const tooManyUploads = () =>
  new ApiError(503, 'service_unavailable', 'Too many files are being uploaded. Try again.', { 'retry-after': '2' })
