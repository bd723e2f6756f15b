import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { ApiEnv } from './context.ts'
import { ApiError, payloadTooLarge } from './errors.ts'

const MAX_BYTES = 1_048_576
const MAX_DEPTH = 32

/** 413 above 1 MB, whether or not the client says how much it sends. */
export const limitBody: MiddlewareHandler<ApiEnv> = bodyLimit({
  maxSize: MAX_BYTES,
  onError: () => {
    throw payloadTooLarge()
  },
})

/** Deeper nesting would exhaust the stack of whoever walks through it. */
export const limitDepth: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.header('content-type')?.includes('json') && depthOf(await c.req.text()) > MAX_DEPTH)
    throw new ApiError(400, 'malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  await next()
}

/** Deepest nesting of brackets outside strings; the text need not be valid. */
export function depthOf(json: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const character = json[i]
    if (quoted && character === '\\') i++
    else if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth--
  }
  return deepest
}
