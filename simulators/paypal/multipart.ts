import { createHash } from 'node:crypto'
import { invalid } from './errors.ts'

export interface UploadedFile {
  name: string
  type: string
  bytes: Buffer
  sha256: string
}

export interface Form {
  input: unknown
  files: UploadedFile[]
}

const MEGABYTE = 1024 * 1024
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  'application/pdf': ['pdf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/gif': ['gif'],
}

/**
 * A form as PayPal wants it: `input` as JSON, labelled so and without a filename, and files in parts of any other
 * name. @throws PayPalRefusal 400
 */
export function readForm(body: Buffer, type: string): Form {
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary === undefined) throw invalid('MALFORMED_REQUEST', '/')
  let input: unknown
  const files: UploadedFile[] = []
  for (const { headers, content } of partsOf(body, boundary)) {
    const name = /name="([^"]*)"/i.exec(headers)?.[1]
    const filename = /filename="([^"]*)"/i.exec(headers)?.[1]
    const partType = /^content-type:\s*([^;\r\n]+)/im.exec(headers)?.[1]?.trim().toLowerCase() ?? ''
    if (name === 'input') {
      if (filename !== undefined || partType !== 'application/json') throw invalid('INVALID_INPUT_PART', '/input')
      input = jsonOf(content)
    } else {
      files.push(fileOf(filename ?? '', partType, content))
    }
  }
  if (files.reduce((sum, file) => sum + file.bytes.length, 0) > 50 * MEGABYTE) throw invalid('INVALID_EVIDENCE_FILE')
  return { input, files }
}

function jsonOf(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    throw invalid('MALFORMED_REQUEST_JSON', '/input')
  }
}

/** One dot, a suffix of letters that fits the type, and below 10 MB. */
function fileOf(name: string, type: string, content: Buffer): UploadedFile {
  const suffix = name.split('.').at(-1)?.toLowerCase() ?? ''
  const fits = /^[A-Za-z0-9-_,\s]+[.][A-Za-z]+$/.test(name) && SUFFIXES[type]?.includes(suffix) === true
  if (!fits || content.length >= 10 * MEGABYTE || content.length === 0) throw invalid('INVALID_EVIDENCE_FILE')
  return { name, type, bytes: content, sha256: createHash('sha256').update(content).digest('hex') }
}

function* partsOf(body: Buffer, boundary: string): Generator<{ headers: string; content: Buffer }> {
  const mark = Buffer.from(`--${boundary}`)
  let start = body.indexOf(mark)
  while (start !== -1) {
    const from = start + mark.length
    if (body.subarray(from, from + 2).toString() === '--') return
    const end = body.indexOf(Buffer.concat([Buffer.from('\r\n'), mark]), from)
    const blank = body.indexOf('\r\n\r\n', from)
    if (end === -1 || blank === -1 || blank > end) throw invalid('MALFORMED_REQUEST', '/')
    yield { headers: body.subarray(from, blank).toString('utf8'), content: body.subarray(blank + 4, end) }
    start = end + 2
  }
  throw invalid('MALFORMED_REQUEST', '/')
}
