import type { Parameter, Schema } from './document.ts'

type Described<Type> = Type & { description?: string }

export interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Described<Parameter>[]
        requestBody?: { content: Record<string, { schema: unknown }> }
        responses: Record<string, { headers?: object; content?: Record<string, { schema: unknown }> }>
      }
    >
  >
  components: { schemas: Record<string, object> }
}

/** Properties, parameters and headers that have no description in the document. */
export function undescribed({ paths, components }: Document): string[] {
  const isDescribed = (schema: Described<Schema>): boolean => {
    const named = schema.$ref && (components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)
    const parts = [...(named ? [named] : []), ...(schema.allOf ?? [])]
    return Boolean(schema.description) || parts.some(isDescribed)
  }
  const within = (schema: Schema, at: string): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      ...(isDescribed(property) ? [] : [`${at}.${name}`]),
      ...within(property, `${at}.${name}`),
    ]),
    ...[schema.items, schema.additionalProperties, ...(schema.allOf ?? []), ...(schema.anyOf ?? [])].flatMap((one) =>
      typeof one === 'object' ? within(one, at) : [],
    ),
  ]
  const bodies = (content: Record<string, { schema: unknown }> = {}, at: string) =>
    Object.values(content).flatMap(({ schema }) => within(schema as Schema, at))
  return [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => within(schema, name)),
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { parameters = [], requestBody, responses }]) => [
        ...parameters.filter((one) => !one.description).map(({ name }) => `${method} ${path} ${name}`),
        ...bodies(requestBody?.content, `${method} ${path}`),
        ...Object.entries(responses).flatMap(([status, { headers = {}, content }]) => [
          ...Object.entries(headers as Record<string, Described<object>>)
            .filter(([, header]) => !header.description)
            .map(([name]) => `${method} ${path} ${status} ${name}`),
          ...bodies(content, `${method} ${path} ${status}`),
        ]),
      ]),
    ),
  ]
}
