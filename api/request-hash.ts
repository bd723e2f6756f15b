import { createHash } from 'node:crypto'

const FORM = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i

interface Hashed {
  method: string
  url: string
  contentType: string | undefined
  body: Buffer
}

/**
 * What an Idempotency-Key stands for: method, path, query and the body's bytes. A form counts without its boundary:
 * clients choose a new one each time they send it.
 */
export function requestHash({ method, url, contentType, body }: Hashed): Buffer {
  const { pathname, search } = new URL(url)
  const hash = createHash('sha256').update(JSON.stringify([method, pathname, search]))
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
