import { asRecord } from '../shared/raw-json.ts'

/** Members that the SDK adds to an object found by id, but not to one from a list. */
const ALIASES = new Set(['transactionDetails', 'protectionLevel', 'graphQLId', 'packages'])

/**
 * Serialises an object of the SDK: Braintree's XML with camelCase keys in alphabetical order at every depth, without
 * the SDK's aliases, and null for every empty value (empty element, `nil`, undefined). The same dispute gives the same
 * text from a list and by id.
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
