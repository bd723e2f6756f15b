import { resolved, type Schema, typesOf } from './document.ts'

/** One thing that is wrong with a value. */
export interface Spoiling {
  what: string
  /** Where, from the body on; the refusal names it so. */
  path: string[]
  /** Undefined: it is missing. */
  value: unknown
}

const jsonType = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** Of one alternative or of several. */
function allowedTypes(schema: Schema): Set<string> {
  const own = resolved(schema)
  const several = [...(own.anyOf ?? []), ...(own.oneOf ?? [])]
  const types = several.length > 0 ? several.flatMap((one) => [...allowedTypes(one)]) : typesOf(own)
  return new Set(types.includes('number') ? [...types, 'integer'] : types)
}

const OF_EACH_TYPE: [string, unknown][] = [
  ['null', null],
  ['a number', 7],
  ['a text', 'text'],
  ['a truth value', true],
  ['a list', []],
  ['an object', {}],
  ['a fraction', 1.5],
]

const BAD_FORMAT: Record<string, string[]> = {
  uuid: ['not-a-uuid', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d1', "' or 1=1 --"],
  'date-time': [
    'soon',
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T00:00:00',
    '1769850600',
  ],
  email: ['nobody', 'a@', '@b.example', 'a b@c.example', 'a@b@c.example'],
  uri: ['nowhere', 'javascript:alert(1)', 'ftp://example.com', 'http://'],
}

/** Values that a schema does not take: wrong types, bounds passed by one, values and forms that it does not know. */
export function wrongValues(schema: Schema): [what: string, value: unknown][] {
  const own = resolved(schema)
  const types = allowedTypes(own)
  if (types.size === 0) return []
  const wrong = OF_EACH_TYPE.filter(([, value]) => !types.has(jsonType(value)))
  const { minLength = 0, maxLength, minimum, maximum, format = '', pattern, maxItems, items } = own
  if (types.has('string')) {
    for (const text of BAD_FORMAT[format] ?? []) wrong.push([`no ${format}`, text])
    if (minLength > 0) wrong.push(['too short', ''])
    if (maxLength !== undefined) wrong.push(['too long', 'x'.repeat(maxLength + 1)])
    if (own.enum) wrong.push(...unknownWords(own.enum))
    else if (!format) wrong.push(['a NUL', 'a\0b'], ['half a character', 'a\ud800b'])
    if (pattern)
      for (const text of ['\u0001', 'x'.repeat(5_000)]) if (!matches(pattern, text)) wrong.push(['no match', text])
  }
  if (types.has('number')) {
    if (minimum !== undefined) wrong.push(['too small', minimum - 1])
    if (maximum !== undefined) wrong.push(['too large', maximum + 1], ['huge', 1e308])
  }
  if (maxItems !== undefined) wrong.push(['too many', Array(maxItems + 1).fill(sample(items ?? {}))])
  return wrong
}

const unknownWords = (words: readonly unknown[]): [string, unknown][] => {
  const first = String(words[0])
  return [first.toUpperCase(), first.toLowerCase(), `${first} `, 'nonsense', 'constructor', '__proto__']
    .filter((word) => !words.includes(word))
    .map((word) => ['an unknown value', word])
}

const matches = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text)

/** Something that the schema takes, where any will do. */
export const sample = (schema: Schema): unknown => {
  const { example, enum: values } = resolved(schema)
  return example ?? values?.[0] ?? 'x'
}

/** Everything that can be wrong with one field of a body, for each of its fields down to the leaves. */
export function spoilings(schema: Schema, path: string[] = []): Spoiling[] {
  const own = resolved(schema)
  const here = wrongValues(own).map(([what, value]) => ({ what, path, value }))
  const inside = Object.entries(own.properties ?? {}).flatMap(([name, field]) => [
    ...(own.required?.includes(name) ? [{ what: 'missing', path: [...path, name], value: undefined }] : []),
    ...spoilings(field, [...path, name]),
  ])
  const unknown =
    own.additionalProperties === false
      ? ['neverAField', 'constructor'].map((name) => ({ what: 'unknown', path: [...path, name], value: 1 }))
      : []
  const items = own.items ? spoilings(own.items, [...path, '0']) : []
  return [...here, ...inside, ...unknown, ...items]
}

/** The body with that one thing wrong; parts on the way to it are made where the body has none. */
export function spoilt(body: unknown, { path, value }: Spoiling): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (name === '0') return [spoilt(undefined, { what: '', path: rest, value })]
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {}
  const changed = spoilt((object as Record<string, unknown>)[name], { what: '', path: rest, value })
  return Object.fromEntries(
    [...Object.entries(object).filter(([key]) => key !== name), [name, changed]].filter(([, one]) => one !== undefined),
  )
}

/** Values at the bounds, which a schema takes: the longest, the shortest, each of a list, the least, the greatest. */
export function boundValues(schema: Schema): unknown[] {
  const { enum: values, format, pattern, anyOf, minLength, maxLength, minimum, maximum } = resolved(schema)
  if (values) return values
  const types = allowedTypes(schema)
  if (types.has('string') && !format && !pattern && !anyOf)
    return [...(minLength ? ['x'.repeat(minLength)] : []), ...(maxLength ? ['x'.repeat(maxLength)] : []), 'ünï😀 漢 عر']
  return [minimum, maximum].filter((bound) => bound !== undefined)
}

/** What a parameter of the query does not take, as it is written in an address. */
export function wrongTexts(schema: Schema): [what: string, text: string][] {
  const own = resolved(schema)
  const types = allowedTypes(own)
  const { minimum, maximum, maxLength } = own
  if (types.has('number') || types.has('integer'))
    return [
      ...['', 'x', 'NaN', 'Infinity', '0x1f', '1e1', '-1', ' 11', '１１', '11,', '99999999999999999999'],
      ...(types.has('integer') && !types.has('number') ? ['10.5'] : []),
      ...(minimum === undefined ? [] : [String(minimum - 1)]),
      ...(maximum === undefined ? [] : [String(maximum + 1)]),
    ].map((text) => ['no such number', text])
  if (own.enum) return [...unknownWords(own.enum), ['empty', '']] as [string, string][]
  return [
    ...(BAD_FORMAT[own.format ?? ''] ?? []).map((text) => [`no ${own.format}`, text] as [string, string]),
    ...(own.format ? [['empty', ''] as [string, string]] : []),
    ...(maxLength === undefined ? [] : [['too long', 'x'.repeat(maxLength + 1)] as [string, string]]),
    ['a NUL', 'a\0b'],
  ]
}
