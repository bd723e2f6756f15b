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
 * What an Idempotency-Key stands for: method, path, query and the body. JSON counts by its content, whatever the order of
 * its keys and its white space; a form without its boundary, because clients choose a new one each time they send it.
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

/** Null for what is not JSON. */
function canonical(body: Buffer): string | null {
  try {
    return sorted(JSON.parse(body.toString()))
  } catch {
    return null
  }
}

/** JSON text with the keys of each object in order. The value is nested no deeper than `checkJson` lets through. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${sorted(one)}`).join(',')}}`
}
