import { asRecord } from '../shared/raw-json.ts'

/** What the SDK adds to an object that it found by id and not to one from a list. */
const ALIASES = new Set(['transactionDetails', 'protectionLevel', 'graphQLId', 'packages'])

/**
 * An object of the SDK as text: what Braintree sent as XML, with camelCase keys in alphabetical order at every depth,
 * without the SDK's aliases, and null for every kind of nothing (empty element, `nil`, undefined). The same dispute
 * gives the same text whether it came from a list or by id.
 */
export function canonicalText(value: unknown): string {
  return JSON.stringify(canonical(value))
}

function canonical(value: unknown): unknown {
  if (value === undefined || value === '') return null
  if (Array.isArray(value)) return value.map(canonical)
  const object = asRecord(value)
  if (!object) return value
  const names = Object.keys(object).filter((name) => !ALIASES.has(name) && typeof object[name] !== 'function')
  return Object.fromEntries(names.sort().map((name) => [name, canonical(object[name])]))
}
