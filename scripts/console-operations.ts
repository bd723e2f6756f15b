import { openApiDocument } from '../api/http/openapi.ts'

/** Types of the operations, and where they are, for the console: from the document that the API publishes. */

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}
interface Content {
  content?: Record<string, { schema?: Schema }>
}
interface Described {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

export function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'unknown'
  if (schema.$ref) return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if (schema.allOf) return schema.allOf.map((one) => `(${typeOf(one)})`).join(' & ')
  const either = schema.anyOf ?? schema.oneOf
  if (either) return either.map((one) => `(${typeOf(one)})`).join(' | ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const kinds = [schema.type ?? 'unknown'].flat()
  return kinds.map((kind) => ofKind(kind, schema)).join(' | ')
}

function ofKind(kind: string, { properties, required = [], additionalProperties, items }: Schema): string {
  if (kind === 'integer' || kind === 'number') return 'number'
  if (kind === 'array') return `(${typeOf(items)})[]`
  if (kind !== 'object') return kind === 'string' || kind === 'boolean' || kind === 'null' ? kind : 'unknown'
  const rest = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  if (!properties) return `Record<string, ${rest}>`
  return fields(Object.entries(properties).map(([name, one]) => [name, required.includes(name), one]))
}

const fields = (all: [name: string, required: boolean, schema: Schema | undefined][]) =>
  `{ ${all.map(([name, required, schema]) => `${JSON.stringify(name)}${required ? '' : '?'}: ${typeOf(schema)}`).join('; ')} }`

const jsonOf = (of: Content | undefined) => of?.content?.['application/json']?.schema

function operationType({ parameters = [], requestBody, responses }: Described): string {
  const of = (place: string) =>
    fields(parameters.filter((one) => one.in === place).map((one) => [one.name, one.required ?? false, one.schema]))
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const body = jsonOf(requestBody)
  return `{ params: ${of('path')}; query: ${of('query')}; body: ${body ? typeOf(body) : 'undefined'}; result: ${typeOf(jsonOf(answer))} }`
}

/** The text of console/api/operations.ts. */
export function consoleOperations(document: object = openApiDocument()): string {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Described>>
    components: { schemas: Record<string, Schema> }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, one]) =>
      one.operationId ? [{ path, method: method.toUpperCase(), ...one }] : [],
    ),
  )
  const lines = [
    '// Generated from docs/openapi.json by `npm run generate`.',
    'export interface Schemas {',
    ...Object.entries(components.schemas).map(([name, schema]) => `  ${JSON.stringify(name)}: ${typeOf(schema)}`),
    '}',
    'export interface Operations {',
    ...operations.map((one) => `  ${one.operationId}: ${operationType(one)}`),
    '}',
    'export const ROUTES = {',
    ...operations.map(({ operationId, method, path }) => `  ${operationId}: ['${method}', '${path}'],`),
    '} as const satisfies Record<keyof Operations, readonly [method: string, path: string]>',
  ]
  return `${lines.join('\n')}\n`
}
