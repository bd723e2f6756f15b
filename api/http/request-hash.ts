import { createHash } from 'node:crypto'

const FORM = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

const JSON_TYPE = /^application\/([\w.-]+\+)?json(;|$)/i

interface Hashed {
  method: string
  url: string
  contentType: string | undefined
  body: Buffer
}

/**
 * Hash of the request that an Idempotency-Key belongs to: method, path, query and body. JSON is compared by content,
 * regardless of key order and white space. A form is hashed without its boundary, which clients choose per request.
 */
export function requestHash({ method, url, contentType, body }: Hashed): Buffer {
  const { pathname, search } = new URL(url)
  const hash = createHash('sha256').update(JSON.stringify([method, pathname, search]))
  if (JSON_TYPE.test(contentType ?? '')) return hash.update(canonical(body) ?? body).digest()
  const form = FORM.exec(contentType ?? '')
  const boundary = form?.[1] ?? form?.[2]
  if (!boundary) return hash.update(body).digest()
  const line = Buffer.from(`--${boundary}`, 'latin1')
  let from = 0
  for (let to = body.indexOf(line); to !== -1; to = body.indexOf(line, from)) {
    hash.update(body.subarray(from, to)).update('--boundary')
    from = to + line.length
  }
  return hash.update(body.subarray(from)).digest()
}

/** Null when the body is not JSON. */
function canonical(body: Buffer): string | null {
  try {
    return sorted(JSON.parse(body.toString()))
  } catch {
    return null
  }
}

/** JSON text with the keys of each object sorted. Recursion is bounded, because `checkJson` has limited the depth. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${sorted(one)}`).join(',')}}`
}
