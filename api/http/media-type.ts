import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'
import { ApiError } from './errors.ts'

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i
/** ASCII is a subset of UTF-8. */
const UTF_8 = /^(utf-?8|us-ascii)$/i

/**
 * Normalises the JSON media type for later middleware: HTTP allows capitals, and spaces before a parameter.
 * @see RFC 9110, 8.3.1
 * @throws ApiError 415 for a charset other than UTF-8
 */
export const plainMediaType: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const given = c.req.header('content-type')
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? ''
  const charset = c.req.method === 'GET' ? null : CHARSET.exec(given ?? '')
  if (charset && !UTF_8.test(charset[1] ?? charset[2] ?? ''))
    throw new ApiError(415, 'unsupported_media_type', 'Content-Type: charset must be utf-8.')
  if (type !== given && JSON_TYPE.test(type)) c.req.raw.headers.set('content-type', type)
  await next()
}
