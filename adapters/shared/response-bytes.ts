import { TOO_LARGE } from './connection.ts'

/**
 * Largest body that is read, in bytes after decompression. The largest legitimate one is a page of a hundred Stripe
 * disputes with 150,000 characters of evidence each: 15 MB.
 */
export const MAX_BODY_BYTES = 32 * 1024 * 1024
/** Total bytes of large responses in memory, over all PSPs, so that a faulty PSP can't crash the process. */
export const MAX_BYTES_AT_ONCE = 2 * MAX_BODY_BYTES
/** Responses up to this size are always read, so that other PSPs are not affected. */
const ALWAYS_BYTES = 1024 * 1024

let held = 0

type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Reads a body. @throws an Error with the code TOO_LARGE beyond `maxBytes`, or beyond the total limit */
export async function readBytes(body: Body, maxBytes?: number): Promise<Buffer<ArrayBuffer>> {
  return Buffer.concat(await readChunks(body, maxBytes))
}

/** Like `readBytes`, in the pieces that arrived. @throws like `readBytes` */
export async function readChunks(body: Body, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  let size = 0
  let counted = 0
  try {
    for await (const chunk of body) {
      size += chunk.byteLength
      const more = Math.max(0, size - ALWAYS_BYTES) - counted
      if (size > maxBytes || (more > 0 && held + more > MAX_BYTES_AT_ONCE)) {
        throw Object.assign(new Error('The answer is larger than any answer of a PSP may be'), { code: TOO_LARGE })
      }
      counted += more
      held += more
      parts.push(chunk)
    }
    return parts
  } finally {
    held -= counted
  }
}
