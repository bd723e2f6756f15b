import { createHash } from 'node:crypto'

/** Body of a POST. */
export interface Body {
  type: string
  content: string | Uint8Array<ArrayBuffer>
}

export interface Part {
  name: string
  type: string
  data: Uint8Array
}

export function jsonBody(value: unknown): Body {
  return { type: 'application/json', content: JSON.stringify(value) }
}

/**
 * `input` as a JSON part and files as `file1`, `file2`, … Built without FormData: PayPal requires a content type and no
 * filename on the JSON part, which FormData can't produce. The boundary depends on the content only, so that the same
 * submission gives the same bytes.
 */
export function multipartBody(input: unknown, files: readonly Part[]): Body {
  const json = JSON.stringify(input)
  const boundary = `recoup-${digestOf(json, files).slice(0, 32)}`
  const parts: Uint8Array[] = [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="input"\r\nContent-Type: application/json\r\n\r\n${json}\r\n`,
    ),
  ]
  files.forEach(({ name, type, data }, index) => {
    const disposition = `form-data; name="file${index + 1}"; filename="${name}"`
    parts.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
      data,
      Buffer.from('\r\n'),
    )
  })
  parts.push(Buffer.from(`--${boundary}--\r\n`))
  return { type: `multipart/form-data; boundary=${boundary}`, content: Buffer.concat(parts) }
}

function digestOf(json: string, files: readonly Part[]): string {
  const hash = createHash('sha256').update(json)
  for (const { name, data } of files) hash.update(name).update(data)
  return hash.digest('hex')
}
