import { CompressionStream, type ReadableStream as WebStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import type { Context, MiddlewareHandler } from 'hono'
import { parseAccept } from 'hono/utils/accept'
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/utils/compress'
import type { ApiEnv } from '../context.ts'
import { ApiError } from './errors.ts'

/** Smaller responses hardly shrink. */
const MIN_BYTES = 1_024
/** The lowest level already compresses a list to a tenth. */
const LEVEL = constants.Z_BEST_SPEED
const compress = promisify(gzip)
const inflate = promisify(gunzip)

/** Compresses responses for clients that accept gzip. The entity tag becomes weak, because the bytes differ. */
export const compressResponses: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.header('vary', 'accept-encoding')
  await next()
  if (c.req.method === 'HEAD' || !acceptsGzip(c.req.header('accept-encoding'))) return
  const { headers } = c.res
  if (!COMPRESSIBLE_CONTENT_TYPE_REGEX.test(headers.get('content-type') ?? '')) return
  if (c.get('streams') && c.res.body) {
    const packed = (c.res.body as WebStream).pipeThrough(new CompressionStream('gzip')) as globalThis.ReadableStream
    c.res = new Response(packed, { status: c.res.status, headers })
    c.res.headers.set('content-encoding', 'gzip')
    return
  }
  const plain = new Uint8Array(await c.res.arrayBuffer())
  const tiny = plain.length < MIN_BYTES
  const body = tiny ? plain : await compress(plain, { level: LEVEL })
  const { status } = c.res
  c.res = new Response(body, { status, headers })
  if (tiny) return
  c.res.headers.set('content-encoding', 'gzip')
  c.res.headers.delete('content-length')
  const etag = headers.get('etag')
  if (etag?.startsWith('"')) c.res.headers.set('etag', `W/${etag}`)
}

function acceptsGzip(header = ''): boolean {
  if (header === '') return false
  const accepted = parseAccept(header.toLowerCase())
  const gzip = accepted.find(({ type }) => type === 'gzip') ?? accepted.find(({ type }) => type === '*')
  return gzip !== undefined && gzip.q > 0
}

/**
 * Replaces a compressed body by its content of at most `maxBytes`.
 * @throws ApiError 413 when it is larger, 415 for another encoding, 400 when it is not gzip
 */
export async function inflateBody(c: Context<ApiEnv>, maxBytes: number, tooLarge: () => ApiError): Promise<void> {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity' || !c.req.raw.body) return
  if (encoding !== 'gzip')
    throw new ApiError(415, 'unsupported_media_type', 'Content-Encoding: must be gzip or identity.', {
      'accept-encoding': 'gzip, identity',
    })
  const packed = new Uint8Array(await c.req.raw.arrayBuffer())
  const body = await inflate(packed, { maxOutputLength: maxBytes }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw new ApiError(400, 'malformed_body', 'The body is not valid gzip.')
  })
  const headers = new Headers(c.req.raw.headers)
  headers.delete('content-encoding')
  headers.set('content-length', String(body.length))
  c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body: new Uint8Array(body) })
}
