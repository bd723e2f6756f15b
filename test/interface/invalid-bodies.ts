import { resolved, type Schema, typesOf } from './document.ts'

/** One invalid change of a value. */
export interface Invalid {
  what: string
  /** Path in the body, as the refusal names it. */
  path: string[]
  /** Undefined: it is missing. */
  value: unknown
}

const jsonType = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** Types of all alternatives. */
function allowedTypes(schema: Schema): Set<string> {
  const own = resolved(schema)
  const several = [...(own.anyOf ?? []), ...(own.oneOf ?? [])]
  const types = several.length > 0 ? several.flatMap((one) => [...allowedTypes(one)]) : typesOf(own)
  return new Set(types.includes('number') ? [...types, 'integer'] : types)
}

const OF_EACH_TYPE: [string, unknown][] = [
  ['null', null],
  ['a number', 7],
  ['a string', 'text'],
  ['a boolean', true],
  ['an array', []],
  ['an object', {}],
  ['a fraction', 1.5],
]

const INVALID_FORMATS: Record<string, string[]> = {
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

/** Values that a schema refuses: wrong types, bounds exceeded by one, unknown values and formats. */
export function wrongValues(schema: Schema): [what: string, value: unknown][] {
  const own = resolved(schema)
  const types = allowedTypes(own)
  if (types.size === 0) return []
  const wrong = OF_EACH_TYPE.filter(([, value]) => !types.has(jsonType(value)))
  const { minLength = 0, maxLength, minimum, maximum, format = '', pattern, maxItems, items } = own
  if (types.has('string')) {
    for (const text of INVALID_FORMATS[format] ?? []) wrong.push([`no ${format}`, text])
    if (minLength > 0) wrong.push(['too short', ''])
    if (maxLength !== undefined) wrong.push(['too long', 'x'.repeat(maxLength + 1)])
    if (own.enum) wrong.push(...unknownWords(own.enum))
    else if (!format) wrong.push(['a NUL', 'a\0b'], ['a lone surrogate', 'a\ud800b'])
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

/** Any value that the schema accepts. */
export const sample = (schema: Schema): unknown => {
  const { example, enum: values } = resolved(schema)
  return example ?? values?.[0] ?? 'x'
}

/** All invalid changes of single fields of a body, down to the leaves. */
export function invalidChanges(schema: Schema, path: string[] = []): Invalid[] {
  const own = resolved(schema)
  const here = wrongValues(own).map(([what, value]) => ({ what, path, value }))
  const inside = Object.entries(own.properties ?? {}).flatMap(([name, field]) => [
    ...(own.required?.includes(name) ? [{ what: 'missing', path: [...path, name], value: undefined }] : []),
    ...invalidChanges(field, [...path, name]),
  ])
  const unknown =
    own.additionalProperties === false
      ? ['neverAField', 'constructor'].map((name) => ({ what: 'unknown', path: [...path, name], value: 1 }))
      : []
  const items = own.items ? invalidChanges(own.items, [...path, '0']) : []
  return [...here, ...inside, ...unknown, ...items]
}

/** The body with one invalid change. Missing parents of the field are created. */
export function withChange(body: unknown, { path, value }: Invalid): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  if (name === '0') return [withChange(undefined, { what: '', path: rest, value })]
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {}
  const changed = withChange((object as Record<string, unknown>)[name], { what: '', path: rest, value })
  return Object.fromEntries(
    [...Object.entries(object).filter(([key]) => key !== name), [name, changed]].filter(([, one]) => one !== undefined),
  )
}

/** Valid values at the bounds: the longest, the shortest, each of an enum, the minimum, the maximum. */
export function boundValues(schema: Schema): unknown[] {
  const { enum: values, format, pattern, anyOf, minLength, maxLength, minimum, maximum } = resolved(schema)
  if (values) return values
  const types = allowedTypes(schema)
  if (types.has('string') && !format && !pattern && !anyOf)
    return [...(minLength ? ['x'.repeat(minLength)] : []), ...(maxLength ? ['x'.repeat(maxLength)] : []), 'ünï😀 漢 عر']
  return [minimum, maximum].filter((bound) => bound !== undefined)
}

/** Texts that a query parameter refuses. */
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
    ].map((text) => ['not a valid number', text])
  if (own.enum) return [...unknownWords(own.enum), ['empty', '']] as [string, string][]
  return [
    ...(INVALID_FORMATS[own.format ?? ''] ?? []).map((text) => [`no ${own.format}`, text] as [string, string]),
    ...(own.format ? [['empty', ''] as [string, string]] : []),
    ...(maxLength === undefined ? [] : [['too long', 'x'.repeat(maxLength + 1)] as [string, string]]),
    ['a NUL', 'a\0b'],
  ]
}
