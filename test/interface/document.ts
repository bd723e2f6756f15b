import { openApiDocument } from '../../api/http/openapi.ts'

/** The part of JSON Schema that the description of the interface uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  example?: unknown
  examples?: unknown[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}

interface Described {
  operationId: string
  description?: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<
    string,
    {
      description: string
      headers?: Record<string, { schema: Schema }>
      content?: Record<string, { schema: Schema; example?: unknown }>
    }
  >
}

export interface Operation extends Omit<Described, 'operationId'> {
  id: string
  method: string
  /** Below /v1. */
  template: string
  name: string
  pattern: RegExp
  parameters: Parameter[]
  body: { type: string; schema: Schema; required: boolean; example?: unknown } | null
  /** Needs no token: the addresses that PSPs call. */
  open: boolean
}

export const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  webhooks: Record<string, unknown>
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([verb, described]) => {
    const { operationId: id, parameters = [], requestBody, ...rest } = described
    const [content] = Object.entries(requestBody?.content ?? {})
    const method = verb.toUpperCase()
    return {
      ...rest,
      id,
      method,
      template,
      name: `${method} ${template}`,
      pattern: new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[^/]+')}$`),
      parameters,
      body: content ? { type: content[0], ...content[1], required: requestBody?.required ?? false } : null,
      open: rest.security?.length === 0,
    }
  }),
)

const variables = ({ template }: Operation) => template.split('{').length

/** A literal path wins over a template that would match it as an id, for any method. */
export function operationAt(method: string, pathname: string): Operation | undefined {
  const matching = operations.filter((one) => one.pattern.test(pathname))
  const fewest = Math.min(...matching.map(variables))
  return matching.find((one) => variables(one) === fewest && one.method === method)
}

/** The schema itself, without `$ref` and `allOf`. */
export function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const { allOf = [], ...own } = schema
  if (allOf.length === 0) return own
  const parts = [...allOf.map(resolved), own]
  const properties = Object.assign({}, ...parts.map((part) => part.properties))
  return Object.assign({}, ...parts, { properties, required: parts.flatMap((part) => part.required ?? []) })
}

export const typesOf = ({ type, enum: values }: Schema): string[] =>
  type === undefined ? [...new Set((values ?? []).map((value) => typeof value))] : [type].flat()
