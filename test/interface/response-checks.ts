import { type AnySchema, type ErrorObject, Ajv2020 as Validator } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { document, type Operation, operationAt, resolved } from './document.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
}

const ajv = new Validator({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ ...document, $id: 'interface' } as AnySchema)
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

function schemaFaults(operation: Operation, status: number, type: string, body: unknown): string[] {
  const steps = ['paths', operation.template, operation.method.toLowerCase(), 'responses', `${status}`, 'content', type]
  const validate = ajv.getSchema(`interface#/${[...steps, 'schema'].map(escaped).join('/')}`)
  if (!validate) return [`has no schema for ${type}`]
  if (validate(body)) return []
  return (validate.errors ?? []).map((one: ErrorObject) => `${one.instancePath || 'body'} ${one.message}`)
}

const ON_EVERY_RESPONSE = ['x-request-id', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']
const INSIDE = /\bat \S*[/.]\S*:\d+:\d+|node_modules|\bselect .* from\b|\binsert into\b|postgres(ql)?:\/\//i

/** Deviations of a response from the description of the interface; empty if there are none. */
export function faultsOfReply(method: string, pathname: string, reply: Reply): string[] {
  const faults: string[] = []
  const header = (name: string) => reply.headers.get(name)
  if (pathname.startsWith('/v1')) {
    // Only the client may cache a response with an ETag, and must revalidate it each time.
    const kept = header('etag') === null ? 'no-store' : 'private, no-cache'
    if (header('cache-control') !== kept) faults.push(`cache-control is ${header('cache-control')}, not ${kept}`)
    for (const name of ON_EVERY_RESPONSE)
      if (reply.status < 500 && header(name) === null) faults.push(`${name} is missing`)
  }
  if (header('x-content-type-options') !== 'nosniff') faults.push('x-content-type-options is missing')
  const type = header('content-type')?.split(';')[0] ?? ''
  const body = type === 'application/json' && method !== 'HEAD' ? parsed(reply.text) : undefined
  const operation = operationAt(method, pathname)
  if (reply.status >= 400 && method !== 'HEAD') faults.push(...errorFaults(reply, type, body, operation))
  if (operation) faults.push(...declarationFaults(operation, reply, type, body))
  return faults
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ERROR_FIELDS = ['status', 'message', 'errorId', 'error', 'code']

/** Every error has the same shape, and none shows internals. */
function errorFaults(reply: Reply, type: string, body: unknown, operation: Operation | undefined): string[] {
  if (type !== 'application/json') return [`an error of type ${type}`]
  const error = (body ?? {}) as Record<string, unknown>
  // The one error of the interface with another field declares it in its schema.
  const schema = operation?.responses[reply.status]?.content?.[type]?.schema
  const fields = schema ? Object.keys(resolved(schema).properties ?? {}) : ERROR_FIELDS
  return [
    ...ERROR_FIELDS.filter((name) => !(name in error)).map((name) => `the error has no ${name}`),
    ...Object.keys(error).flatMap((name) => (fields.includes(name) ? [] : [`the error has a field ${name}`])),
    ...(error.status === reply.status ? [] : [`the error says status ${error.status}`]),
    ...(INSIDE.test(reply.text) ? ['the error shows internals'] : []),
  ]
}

function declarationFaults(operation: Operation, reply: Reply, type: string, body: unknown): string[] {
  const declared = operation.responses[reply.status]
  if (!declared) return [`status ${reply.status} is not declared`]
  const faults = Object.keys(declared.headers ?? {})
    // Without Postgres requests are not counted.
    .filter((name) => reply.headers.get(name) === null && !(reply.status >= 500 && /^ratelimit/i.test(name)))
    .map((name) => `the declared header ${name} is missing`)
  if (!declared.content) return [...faults, ...(reply.text === '' ? [] : ['a body where none is declared'])]
  if (!declared.content[type]) return [...faults, `type ${type || 'none'} is not declared`]
  if (type === 'application/json') faults.push(...schemaFaults(operation, reply.status, type, body))
  const code = (body as { code?: string } | undefined)?.code
  const catalogue = `${operation.description ?? ''} ${declared.description}`
  if (reply.status >= 400 && code && !catalogue.includes(`\`${code}\``)) faults.push(`code ${code} is not declared`)
  return faults
}
