import { isUtf8 } from 'node:buffer'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { inflateBody } from './compression.ts'
import type { ApiEnv } from './context.ts'
import { ApiError, payloadTooLarge } from './errors.ts'
import { depthOf } from './json-depth.ts'
import { FORM_MAX_BYTES, fileTooLarge, tooManyUploads } from './upload-form.ts'

const MAX_BYTES = 1_048_576
const MAX_DEPTH = 32
/** Refuses JSON itself. */
const UPLOADS = '/v1/files'

/**
 * Uploads in memory at once, each several times its size: body, file, the thread's copy, the sealed file and what the
 * driver sends. The next ones are asked to come again. Of one credential a few, because a slow one keeps its place.
 */
const UPLOADS_AT_ONCE = 16
const UPLOADS_OF_ONE = 4

const limited = (maxSize: number, tooLarge: () => ApiError): MiddlewareHandler<ApiEnv> =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw tooLarge()
    },
  })

/** 413 above 1 MB, whether or not the client says how much it sends. */
export const limitBody = limited(MAX_BYTES, payloadTooLarge)

/** The size limits apply to the compressed body and to the inflated one. */
const inflated = (maxSize: number, tooLarge: () => ApiError): MiddlewareHandler<ApiEnv> => {
  const limit = limited(maxSize, tooLarge)
  return (c, next) =>
    limit(c, async () => {
      await inflateBody(c, maxSize, tooLarge)
      await next()
    })
}

/** As `limitBody`, and 6 MB for a file; gzip is inflated. */
export function limitBodies(): MiddlewareHandler<ApiEnv> {
  const plain = inflated(MAX_BYTES, payloadTooLarge)
  const upload = inflated(FORM_MAX_BYTES, fileTooLarge)
  const uploads: string[] = []
  return async (c, next) => {
    if (c.req.path !== UPLOADS) return plain(c, next)
    const { credentialId } = c.get('principal')
    const own = uploads.filter((one) => one === credentialId).length
    if (uploads.length >= UPLOADS_AT_ONCE || own >= UPLOADS_OF_ONE) throw tooManyUploads()
    uploads.push(credentialId)
    try {
      return await upload(c, next)
    } finally {
      uploads.splice(uploads.indexOf(credentialId), 1)
    }
  }
}

/** JSON is UTF-8, and nested no deeper than a stack can follow. @throws ApiError 400 */
export const checkJson: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.path !== UPLOADS && c.req.header('content-type')?.includes('json')) {
    if (!isUtf8(await c.req.arrayBuffer())) throw new ApiError(400, 'malformed_body', 'The body is not valid UTF-8.')
    if (depthOf(await c.req.text()) > MAX_DEPTH)
      throw new ApiError(400, 'malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  }
  await next()
}
