import { samplePdf } from '../../../harness/sample-files.ts'
import { multipart, type Part } from '../../../interface/multipart.ts'
import { checkResponse } from '../http/check-response.ts'
import type { Stage } from '../stage.ts'

/** Largest file, in bytes. */
export const MAX = 6_291_456
export const pdf = samplePdf({ content: 'BT (Invoice of jane@example.com) Tj ET', deflate: true })
export const file = (change: Partial<Part> = {}): Part => ({
  name: 'file',
  content: pdf,
  filename: 'proof.pdf',
  ...change,
})
export const purpose = (content = 'evidence_file'): Part => ({ name: 'purpose', content })

/** A PDF of exactly that many bytes. */
export function pdfOf(bytes: number): Buffer {
  const bare = samplePdf()
  const filler = Buffer.alloc(bytes - bare.length, '%')
  const at = bare.indexOf('trailer')
  filler[filler.length - 1] = 10
  return Buffer.concat([bare.subarray(0, at), filler, bare.subarray(at)])
}

/** Uploads as the stage's merchant, and checks each response against the API description. */
export function uploader(stage: Stage) {
  async function send(body: Uint8Array | ReadableStream, headers: Record<string, string>) {
    const response = await stage.app.request('/v1/files', {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.token}`, ...headers },
      body: body as ReadableStream,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    const text = await response.text()
    const result = { status: response.status, headers: response.headers, body: JSON.parse(text), text }
    checkResponse('POST', '/v1/files', result)
    return result
  }
  return {
    send,
    /** Parts as a form; `cut` corrupts its bytes. */
    upload(parts: Part[], headers: Record<string, string> = {}, cut?: (body: Buffer) => Buffer) {
      const { type, body } = multipart(parts)
      return send(cut ? cut(Buffer.from(body)) : body, { 'content-type': type, ...headers })
    },
    rows: async () =>
      Number(
        (
          await stage.db
            .selectFrom('file')
            .select((eb) => eb.fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      ),
  }
}
