import { isUtf8 } from 'node:buffer'
import { setImmediate as otherRequests } from 'node:timers/promises'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import pLimit from 'p-limit'
import type { ApiEnv } from '../context.ts'
import { FORM_MAX_BYTES, fileTooLarge, tooManyUploads } from '../files/upload-form.ts'
import { type Budget, createBudget } from '../limits/budget.ts'
import { inflateBody } from './compression.ts'
import { ApiError, payloadTooLarge } from './errors.ts'
import { costlyJson } from './json-size.ts'

export const MAX_BYTES = 1_048_576
/** Uploads reject JSON bodies themselves. */
const UPLOADS = '/v1/files'

/**
 * Uploads in memory at once. Each takes several times its size: body, file, the copy for the check, the sealed file and
 * the driver's buffer. Further ones get 503.
 */
const UPLOADS_AT_ONCE = { all: 16, ofAccount: 8, ofCredential: 4 }
/** Bytes of all other bodies in memory at once, and those of one account or one client address. */
const BODY_BYTES = { all: 64 * MAX_BYTES, ofOne: 32 * MAX_BYTES }
/** A body without a length may have the maximum size, and is copied while it grows. */
const UNKNOWN_LENGTH = 2 * MAX_BYTES

const limited = (maxSize: number, tooLarge: () => ApiError): MiddlewareHandler<ApiEnv> =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw tooLarge()
    },
  })

/** Reads a body of unknown length, up to the limit. @throws ApiError 413 above 1 MB */
export async function readUnmeasured(c: Context<ApiEnv>): Promise<void> {
  await limited(MAX_BYTES, payloadTooLarge)(c, async () => {})
}

/** Discards the incoming body. @throws ApiError 413 above 1 MB */
export async function discardBody(c: Context): Promise<void> {
  let bytes = 0
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw payloadTooLarge()
  }
}

/** 413 when Content-Length exceeds the limit; a body without it is measured while it is read. */
const refuseLong = (maxSize: number, tooLarge: () => ApiError): MiddlewareHandler<ApiEnv> => {
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > maxSize) throw tooLarge()
    await next()
  }
}
export const refuseLongBody = refuseLong(MAX_BYTES, payloadTooLarge)

/** Bytes of memory to reserve before the body is read; 0 without a body. */
export function bytesOf({ req }: Context): number {
  if (req.header('transfer-encoding') !== undefined) return UNKNOWN_LENGTH
  const length = Number(req.header('content-length') ?? 0)
  return length > 0 && req.header('content-encoding') !== undefined ? length + MAX_BYTES : length
}

/**
 * The size limits apply to the compressed body and to the inflated one; `hold` reserves memory before either is read.
 */
const inflated = (
  maxSize: number,
  tooLarge: () => ApiError,
  hold: (c: Context<ApiEnv>) => () => void,
): MiddlewareHandler<ApiEnv> => {
  const refuse = refuseLong(maxSize, tooLarge)
  const limit = limited(maxSize, tooLarge)
  return (c, next) =>
    refuse(c, async () => {
      // Node passes no body on with these. Asking for it would make a whole Request of the web platform.
      if (c.req.method === 'GET' || c.req.method === 'HEAD') return next()
      const release = hold(c)
      try {
        await limit(c, async () => {
          await inflateBody(c, maxSize, tooLarge)
          await next()
        })
      } finally {
        release()
      }
    })
}

/**
 * 1 MB, and 6 MB for a file; gzip is inflated. Bounds the bytes in memory; one account or client holds at most half.
 * @throws ApiError 413, 503
 */
export function limitBodies(): MiddlewareHandler<ApiEnv> {
  const bytes = createBudget(BODY_BYTES.all)
  const uploads = createBudget(UPLOADS_AT_ONCE.all)
  const plain = inflated(MAX_BYTES, payloadTooLarge, (c) => holdBytes(bytes, c))
  const upload = inflated(FORM_MAX_BYTES, fileTooLarge, (c) => {
    const { credentialId, accountId } = c.get('principal')
    const shares = { [accountId]: UPLOADS_AT_ONCE.ofAccount, [credentialId]: UPLOADS_AT_ONCE.ofCredential }
    const release = uploads.take(1, shares)
    if (!release) throw tooManyUploads()
    return release
  })
  return (c, next) => (c.req.path === UPLOADS ? upload(c, next) : plain(c, next))
}

function holdBytes(bytes: Budget, c: Context<ApiEnv>): () => void {
  const { ofOne } = BODY_BYTES
  const shares = { [c.get('principal').accountId]: ofOne, [c.get('clientNetwork')]: ofOne }
  const release = bytes.take(bytesOf(c), shares)
  if (release) return release
  throw new ApiError(503, 'service_unavailable', 'Too many bytes are being sent at once. Try again.', {
    'retry-after': '1',
  })
}

/** Bytes; larger JSON bodies are checked in turns. */
const LARGE_JSON = 65_536

/**
 * JSON must be UTF-8, and small enough in depth and values to be parsed in milliseconds. Large bodies are checked one
 * after the other, with other requests in between: those of one client may all arrive at once. @throws ApiError 400
 */
export function checkJson(): MiddlewareHandler<ApiEnv> {
  const turns = pLimit(1)
  return async (c, next) => {
    if (c.req.path !== UPLOADS && c.req.header('content-type')?.includes('json')) {
      const body = new Uint8Array(await c.req.arrayBuffer())
      if (body.length > LARGE_JSON) await turns(() => otherRequests().then(() => refuseCostly(body)))
      else refuseCostly(body)
    }
    await next()
  }
}

function refuseCostly(body: Uint8Array): void {
  if (!isUtf8(body)) throw new ApiError(400, 'malformed_body', 'The body is not valid UTF-8.')
  const fault = costlyJson(body)
  if (fault) throw new ApiError(400, 'malformed_json', `The body is ${fault}.`)
}
