import { expect } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from '../../../api/openapi.ts'

interface Described {
  responses: Record<string, { content?: Record<string, { schema: object }>; headers?: Record<string, unknown> }>
}
const document = openApiDocument() as unknown as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, object> }
}
const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    pattern: new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    operation,
  })),
)
const compiled = new Map<object, z.ZodType>()

function schemaOf(schema: object): z.ZodType {
  const known = compiled.get(schema)
  if (known) return known
  const closed = JSON.parse(JSON.stringify({ ...schema, $defs: document.components.schemas }), (key, value) =>
    key === '$ref' ? String(value).replace('#/components/schemas/', '#/$defs/') : value,
  )
  const made = z.fromJSONSchema(closed)
  compiled.set(schema, made)
  return made
}

/** The answer is one that the document declares, in status, body and headers. */
export function checkAnswer(
  method: string,
  path: string,
  answer: { status: number; body: unknown; headers: Headers },
): void {
  const { pathname } = new URL(path, 'http://localhost')
  if (pathname.startsWith('/v1')) {
    expect(answer.headers.get('cache-control')).toBe('no-store')
    for (const name of ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
      if (answer.status < 500) expect(answer.headers.get(name), `${method} ${path}: ${name}`).not.toBeNull()
  }
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  if (answer.status >= 400) {
    const error = answer.body as Record<string, unknown>
    const { statusCode, ...usual } = error
    expect(Object.keys(usual).sort()).toEqual(['code', 'error', 'errorId', 'message', 'status'])
    expect(error.status).toBe(answer.status)
    // The one operation whose 404 the interface gives this field.
    const ofMerchant = method === 'GET' && /^\/v1\/merchants\/[^/]+$/.test(pathname) && answer.status === 404
    expect(statusCode).toBe(ofMerchant ? 404 : undefined)
    expect(JSON.stringify(error)).not.toMatch(/\bat .*:\d+:\d+|node_modules|select |insert /i)
  }
  const found = operations.find((one) => one.method === method && one.pattern.test(pathname))
  if (!found) return
  const declared = found.operation.responses[answer.status]
  expect(declared, `${method} ${pathname} answers ${answer.status}, which is not declared`).toBeDefined()
  const schema = declared?.content?.['application/json']?.schema
  if (!schema) return
  const checked = schemaOf(schema).safeParse(answer.body)
  expect(checked.error?.issues ?? [], `${method} ${pathname} ${answer.status}: ${JSON.stringify(answer.body)}`).toEqual(
    [],
  )
}
