import type { OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'
import { ApiError } from './errors.ts'
import { costlyJson } from './json-size.ts'
import { nearest } from './nearest.ts'
import { type Issue, issuesSentence, MAX_FAULTS } from './validation.ts'

interface Input {
  query: z.ZodObject | undefined
  takesBody: boolean
}

/**
 * Rejects input that an operation does not define: unknown query parameters, because a misspelt filter would return
 * everything, and a body where none is declared. One message names all errors of the query.
 */
export function strictInput(app: OpenAPIHono<ApiEnv>): MiddlewareHandler<ApiEnv> {
  let inputs: Map<string, Input> | undefined
  return async (c, next) => {
    inputs ??= inputsOf(app)
    const { method } = c.req
    const input = inputs.get(`${method === 'HEAD' ? 'GET' : method} ${c.get('route')}`)
    if (input) {
      const faults = [...queryFaults(c, input.query), ...(input.takesBody ? [] : await bodyFaults(c))]
      if (faults.length > 0) throw new ApiError(400, 'validation_failed', faults.slice(0, MAX_FAULTS).join('; '))
    }
    await next()
  }
}

function inputsOf(app: OpenAPIHono<ApiEnv>): Map<string, Input> {
  return new Map(
    app.openAPIRegistry.definitions.flatMap((one) => {
      if (one.type !== 'route') return []
      const { method, path, request } = one.route
      const input = { query: request?.query as z.ZodObject | undefined, takesBody: request?.body !== undefined }
      return [[`${method.toUpperCase()} /v1${path}`, input] as const]
    }),
  )
}

function queryFaults(c: Context, query: z.ZodObject | undefined): string[] {
  if (!c.req.url.includes('?')) return []
  const names = Object.keys(query?.shape ?? {})
  const given = new Set(new URL(c.req.url).searchParams.keys())
  const unknown = [...given].filter((name) => !names.includes(name)).slice(0, MAX_FAULTS)
  if (unknown.length === 0) return []
  const values = Object.entries(c.req.queries()).map(([name, all]) => [name, all.length > 1 ? all : all[0]])
  const others = query?.safeParse(Object.fromEntries(values)).error?.issues ?? []
  const sentence = issuesSentence(others as Issue[])
  return [
    ...unknown.map((name) => `${name.slice(0, 200)}: ${unknownParameter(name, names)}`),
    ...(sentence ? [sentence] : []),
  ]
}

function unknownParameter(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'Unknown parameter. There are none here'
  const near = nearest(name, names)
  return near ? `Unknown parameter. Did you mean ${near}?` : `Unknown parameter. There are ${names.join(', ')}`
}

/** `{}` counts as no body. */
async function bodyFaults(c: Context): Promise<string[]> {
  const none = ['body: Must be empty']
  if (c.req.method === 'GET' || c.req.method === 'HEAD') {
    const isEmpty = (c.req.header('content-length') ?? '0') === '0' && c.req.header('transfer-encoding') === undefined
    return isEmpty ? [] : none
  }
  const text = await c.req.text()
  if (text.trim() === '') return []
  if (costlyJson(Buffer.from(text))) return none
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return none
    return Object.keys(body)
      .slice(0, MAX_FAULTS)
      .map((name) => `${name.slice(0, 200)}: Unknown field`)
  } catch {
    return none
  }
}
