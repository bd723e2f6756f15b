import fc from 'fast-check'
import { junk, valuesOf } from '../interface/arbitrary.ts'
import { type Operation, resolved } from '../interface/document.ts'
import { invalidChanges, withChange, wrongTexts } from '../interface/invalid-bodies.ts'
import type { Part } from '../interface/multipart.ts'

/** Plan of a request. It names resources by number; the service's state decides which ones those are. */
export interface Plan {
  operation: Operation
  /** Index of the caller, and of the resource among those known by then. */
  caller: number
  resource: number
  merchant: 'its own' | 'none' | string
  /** Replaces an id in the path. */
  badId: string | null
  changes: ((body: unknown) => unknown)[]
  /** Changes of the parts of a form. */
  parts: ((parts: Part[]) => Part[])[]
  query: [string, string][]
  key: string | null
  twist: Twist | null
}

/** A fault of the HTTP message itself. */
export type Twist =
  | { kind: 'method'; method: string }
  | { kind: 'path'; tail: string }
  | { kind: 'token'; authorization: string | null }
  | { kind: 'type'; type: string }
  | { kind: 'body'; text: string }
  | { kind: 'cut'; share: number }

/** Characters that a client can send in a header. */
const latin = fc.string({
  unit: fc
    .oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0xa1, max: 0xff }))
    .map((code) => String.fromCharCode(code)),
})
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
const TYPES = ['text/plain', 'application/json; charset=utf-16', 'application/json;', 'multipart/form-data', 'a', '']

const twist: fc.Arbitrary<Twist> = fc.oneof(
  fc.record({ kind: fc.constant('method'), method: fc.constantFrom(...METHODS) }),
  fc.record({
    kind: fc.constant('path'),
    tail: fc.oneof(fc.constantFrom('/', '/x', '//', '%00', '%', ';a=1'), fc.webPath()),
  }),
  fc.record({ kind: fc.constant('token'), authorization: fc.option(latin.map((text) => `Bearer ${text.trim()}`)) }),
  fc.record({ kind: fc.constant('type'), type: fc.constantFrom(...TYPES) }),
  fc.record({ kind: fc.constant('body'), text: fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('')) }),
  fc.record({ kind: fc.constant('cut'), share: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
) as fc.Arbitrary<Twist>

/** One change of a body: a field is set, removed, malformed or added. */
function changeOf(operation: Operation): fc.Arbitrary<Plan['changes'][number]> {
  const schema = resolved(operation.body?.schema ?? {})
  const fields = Object.entries(schema.properties ?? {})
  const set = (name: string, value: unknown) => (body: unknown) => withChange(body, { what: '', path: [name], value })
  const word = fc.oneof(fc.constantFrom('constructor', '__proto__', 'id', ''), fc.string({ unit: 'grapheme' }))
  const any = [
    fc.tuple(word, junk).map(([name, value]) => set(name, value)),
    valuesOf(schema).map((made) => () => made),
  ]
  if (fields.length === 0) return fc.oneof(...any)
  const field = fc.constantFrom(...fields)
  const wrong = invalidChanges(schema)
  return fc.oneof(
    { weight: 6, arbitrary: field.chain(([name, one]) => valuesOf(one).map((value) => set(name, value))) },
    { weight: 3, arbitrary: fc.constantFrom(...wrong).map((one) => (body: unknown) => withChange(body, one)) },
    { weight: 2, arbitrary: fc.tuple(field, junk).map(([[name], value]) => set(name, value)) },
    { weight: 1, arbitrary: field.map(([name]) => set(name, undefined)) },
    ...any.map((arbitrary) => ({ weight: 1, arbitrary })),
  )
}

/** One change of a form: a part is omitted, repeated, renamed, or has other content. */
const partChange: fc.Arbitrary<Plan['parts'][number]> = fc
  .record({
    at: fc.nat({ max: 2 }),
    how: fc.constantFrom('out', 'twice', 'name', 'content', 'filename'),
    text: fc.oneof(
      fc.constantFrom('', 'metadata[a]', '{"a":{}}', 'evidence_image'),
      latin,
      fc.string({ unit: 'binary' }),
    ),
  })
  .map(({ at, how, text }) => (parts) => {
    if (how === 'out') return parts.filter((_, index) => index !== at)
    if (how === 'twice') return [...parts, ...parts.slice(at, at + 1)]
    return parts.map((part, index) => (index === at ? { ...part, [how]: text } : part))
  })

function queryOf(operation: Operation): fc.Arbitrary<[string, string][]> {
  const parameters = operation.parameters.filter((one) => one.in === 'query')
  if (parameters.length === 0) return fc.constant([])
  const one = fc
    .constantFrom(...parameters)
    .chain(({ name, schema }) =>
      fc
        .oneof(
          { weight: 5, arbitrary: valuesOf(schema).map(String) },
          { weight: 1, arbitrary: fc.constantFrom(...wrongTexts(schema)).map(([, text]) => text) },
          { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
        )
        .map((text): [string, string] => [name, text.toWellFormed()]),
    )
  return fc.array(one, { maxLength: 4 })
}

/** The value once in `often` times, else null. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, often: number): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: often - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

const planOf = (operation: Operation): fc.Arbitrary<Plan> =>
  fc.record({
    operation: fc.constant(operation),
    caller: fc.nat({ max: 1_000 }),
    resource: fc.nat({ max: 1_000 }),
    merchant: fc.oneof(
      { weight: 8, arbitrary: fc.constant('its own') },
      { weight: 1, arbitrary: fc.constant('none') },
      { weight: 1, arbitrary: latin },
    ),
    badId: rarely(fc.oneof(fc.uuid(), fc.string({ unit: 'grapheme', minLength: 1 })), 8),
    changes: operation.body ? fc.array(changeOf(operation), { maxLength: 3 }) : fc.constant([]),
    parts: fc.array(partChange, { maxLength: 2 }),
    query: queryOf(operation),
    key: rarely(fc.oneof(fc.constantFrom('one', 'two', 'three'), latin), 5),
    twist: rarely(twist, 5),
  })

/** The same seed gives the same plans, as long as the description of the interface stays. */
export const plans = (operations: readonly Operation[], seed: number, count: number): Plan[] =>
  fc.sample(fc.oneof(...operations.map(planOf)), { seed, numRuns: count })
