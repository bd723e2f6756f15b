export interface Part {
  name: string
  content: string | Uint8Array
  filename?: string
  type?: string
}

const BOUNDARY = 'recoup-boundary-4711'

/** A multipart body as bytes, so that a test can cut or change it. */
export function multipart(parts: readonly Part[]): { type: string; body: Uint8Array<ArrayBuffer> } {
  const chunks = parts.flatMap(({ name, content, filename, type }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"` +
        `${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  const body = new Uint8Array(Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)]))
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, body }
}
