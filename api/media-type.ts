import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './context.ts'

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/

/**
 * JSON in the one spelling that everything behind this looks for: HTTP takes capitals, and blanks before a parameter.
 * @see RFC 9110, 8.3.1
 */
export const plainMediaType: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const given = c.req.header('content-type')
  const type = given?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type !== given && JSON_TYPE.test(type)) c.req.raw.headers.set('content-type', type)
  await next()
}
