import { badParameter, unknownParameter } from './errors.ts'

/** A decoded query or form body: brackets are levels, whatever style they were written in. */
export type Parameters = { [name: string]: Parameters | string }

/** Types of parameters. Names come from the types of stripe@23.1.0. */
export type Spec =
  | 'string'
  | 'integer'
  | 'boolean'
  | 'strings'
  | 'map'
  | { oneOf: readonly string[] }
  | { either: 'integer'; or: Specs }
  | { items: Specs }
  | { fields: Specs; emptyable?: true }
export type Specs = { readonly [name: string]: Spec }

/** Reads `a=1&b[c]=2&d[]=3&e[0]=4`, brackets plain or percent-encoded, and checks it against the names allowed. */
export function readParameters(encoded: string, specs: Specs): Parameters {
  const tree = emptyTree()
  for (const part of encoded.split('&')) {
    if (part === '') continue
    const cut = part.indexOf('=')
    const name = decode(cut < 0 ? part : part.slice(0, cut))
    place(tree, name, cut < 0 ? '' : decode(part.slice(cut + 1)))
  }
  check(tree, specs, '')
  return tree
}

/** Without a prototype, so that a parameter called __proto__ is just unknown. */
function emptyTree(): Parameters {
  return Object.create(null) as Parameters
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badParameter(text, 'Invalid percent-encoding')
  }
}

function place(tree: Parameters, name: string, value: string): void {
  const [head, ...rest] = name.split(/\[|\]\[?/).slice(0, name.includes('[') ? -1 : undefined)
  const path = [head ?? '', ...rest]
  let level = tree
  path.forEach((step, index) => {
    // `expand[]` is the next free number.
    const key = step === '' && index > 0 ? String(Object.keys(level).length) : step
    if (index === path.length - 1) {
      level[key] = value
      return
    }
    const next = level[key]
    if (next !== undefined && typeof next !== 'string') level = next
    else level = level[key] = emptyTree()
  })
}

function check(tree: Parameters, specs: Specs, prefix: string): void {
  for (const [name, value] of Object.entries(tree)) {
    const param = prefix === '' ? name : `${prefix}[${name}]`
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (spec === undefined) throw unknownParameter(param)
    checkValue(value, spec, param)
  }
}

function checkValue(value: Parameters | string, spec: Spec, param: string): void {
  if (typeof value === 'string') checkText(value, spec, param)
  else if (spec === 'strings' || spec === 'map') {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item !== 'string' || (spec === 'strings' && !/^\d+$/.test(key))) {
        throw badParameter(`${param}[${key}]`, 'Invalid string')
      }
    }
  } else if (typeof spec === 'object' && 'items' in spec) {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string' || !/^\d+$/.test(key)) throw badParameter(`${param}[${key}]`, 'Invalid object')
      check(item, spec.items, `${param}[${key}]`)
    }
  } else if (typeof spec === 'object' && 'fields' in spec) check(value, spec.fields, param)
  else if (typeof spec === 'object' && 'either' in spec) check(value, spec.or, param)
  else throw badParameter(param, `Invalid ${typeof spec === 'string' ? spec : 'value'}`)
}

function checkText(value: string, spec: Spec, param: string): void {
  if (spec === 'string') return
  const integer = spec === 'integer' || (typeof spec === 'object' && 'either' in spec)
  if (integer && !/^-?\d+$/.test(value))
    throw badParameter(param, `Invalid integer: ${value}`, 'parameter_invalid_integer')
  if (spec === 'boolean' && value !== 'true' && value !== 'false')
    throw badParameter(param, `Invalid boolean: ${value}`)
  if (typeof spec === 'object' && 'oneOf' in spec && !spec.oneOf.includes(value)) {
    throw badParameter(param, `Invalid ${param}: must be one of ${spec.oneOf.join(', ')}`)
  }
  // An empty text clears a map or an emptyable object; anything else there is a mistake.
  if (spec === 'strings' && value !== '') throw badParameter(param, 'Invalid array')
  if (spec === 'map' && value !== '') throw badParameter(param, 'Invalid object')
  if (typeof spec === 'object' && 'items' in spec) throw badParameter(param, 'Invalid array')
  if (typeof spec === 'object' && 'fields' in spec && !(spec.emptyable === true && value === '')) {
    throw badParameter(param, 'Invalid object')
  }
}

export function textOf(parameters: Parameters, name: string): string | undefined {
  const value = parameters[name]
  return typeof value === 'string' ? value : undefined
}

/** Items of `name[0]`, `name[1]`, … in that order. */
export function textsOf(parameters: Parameters, name: string): string[] {
  const value = parameters[name]
  if (value === undefined || typeof value === 'string') return []
  return Object.values(value).filter((item): item is string => typeof item === 'string')
}
