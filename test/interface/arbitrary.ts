import fc from 'fast-check'
import { resolved, type Schema, typesOf } from './document.ts'

const MOST = 40

/** Values that a schema accepts, most of them short. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const own = resolved(schema)
  if (own.enum) return fc.constantFrom(...own.enum)
  if (own.const !== undefined) return fc.constant(own.const)
  const several = [...(own.anyOf ?? []), ...(own.oneOf ?? [])]
  if (several.length > 0) return fc.oneof(...several.map(valuesOf))
  const types = typesOf(own)
  return types.length === 0 ? fc.jsonValue({ maxDepth: 3 }) : fc.oneof(...types.map((type) => ofType(type, own)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max, minItems = 0, maxItems = 3, items = {} } = schema
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'integer':
      return fc.integer({ min: min ?? 0, max: max ?? 1_000 })
    case 'number':
      return fc.oneof(
        fc.double({ min: min ?? -1e6, max: max ?? 1e6, noNaN: true }),
        fc.constantFrom(min ?? 0, max ?? 0),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valuesOf(items), { minLength: minItems, maxLength: Math.min(maxItems, 3) })
    default:
      return objectOf(schema)
  }
}

function textOf({ format, pattern, minLength = 0, maxLength = MOST }: Schema): fc.Arbitrary<string> {
  const { min, max } = { min: new Date('1971-01-01'), max: new Date('2100-01-01') }
  if (format === 'date-time') return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString())
  if (format === 'uuid') return fc.uuid()
  if (format === 'ipv4') return fc.ipV4()
  if (format === 'ipv6') return fc.ipV6()
  if (format === 'email') return fc.emailAddress()
  if (format === 'uri') return fc.webUrl()
  if (pattern) return fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 200) })
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, MOST)) })
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<object> {
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valuesOf(field)])),
    { requiredKeys: required },
  )
  if (additionalProperties === false || Object.keys(properties).length > 0) return known
  const value =
    typeof additionalProperties === 'object' ? valuesOf(additionalProperties) : fc.jsonValue({ maxDepth: 2 })
  return fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,12}$/), value, { maxKeys: 5 })
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

/** Any JSON value, problematic ones first. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'a\0b',
    '\ud800',
    '\u202e',
    1e308,
    -0,
    2 ** 53,
    [],
    {},
    '__proto__',
    "' or 1=1 --",
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.integer({ min: 1_000, max: 100_000 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 2, max: 60 }).map(nested),
)
