import { getPath } from 'hono/utils/url'

const FORWARDED = '/console/v1/'

/** Whether a session of the console, not a token, says who sends the request. */
export const isForwarded = (request: Request): boolean => getPath(request).startsWith(FORWARDED)

/** Path that routes are matched with: `/console/v1/…` is `/v1/…`, with a session instead of a token. */
export function routedPath(request: Request): string {
  const path = getPath(request)
  return path.startsWith(FORWARDED) ? path.slice('/console'.length) : path
}
