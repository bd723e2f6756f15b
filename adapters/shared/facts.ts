import { storedReasonCode } from '../../domain/reason-codes.ts'
import type { RawObject, Translation } from '../contract.ts'
import { asRecord, isStorable } from './raw-json.ts'

/** Readers of an untrusted PSP object. They name the path in their errors. */

/** Why an object can't become a chargeback: a path and the error, never the value. */
export class Unmappable extends Error {}

/**
 * Runs `translate` on an object's text, and normalises the reason code. An Unmappable error becomes the result, with
 * its reason.
 */
export function translated(raw: RawObject, translate: (text: string) => Translation): Translation {
  try {
    const translation = translate(raw.text)
    if (translation.kind !== 'chargeback' || translation.facts.reasonCode === null) return translation
    const { cardScheme, reasonCode } = translation.facts
    return { ...translation, facts: { ...translation.facts, reasonCode: storedReasonCode(cardScheme, reasonCode) } }
  } catch (error) {
    if (!(error instanceof Unmappable)) throw error
    return { kind: 'unmappable', reference: raw.reference, reason: error.message }
  }
}

/** The object, parsed once. @throws Unmappable when it is not a JSON object */
export function objectIn({ text, value }: RawObject): Record<string, unknown> {
  return asRecord(value) ?? objectOf(text)
}

/** @throws Unmappable when it is not a JSON object */
export function objectOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Unmappable('it is not JSON')
  }
  const object = asRecord(value)
  if (!object) throw new Unmappable('it is not an object')
  return object
}

/** Parsed paths: there are few, and they are read for every dispute. */
const KEYS = new Map<string, readonly string[]>()

/** The value at a dotted path, or undefined. A number is an index. `path` is a constant of the code, never data. */
export function at(root: unknown, path: string): unknown {
  const keys = KEYS.get(path) ?? path.split('.')
  KEYS.set(path, keys)
  let value = root
  for (const key of keys) value = Array.isArray(value) ? value[Number(key)] : asRecord(value)?.[key]
  return value
}

/** The objects in the array at a path, without other elements. */
export function listAt(root: unknown, path: string): Record<string, unknown>[] {
  const value = at(root, path)
  return Array.isArray(value) ? value.map(asRecord).filter((entry) => entry !== null) : []
}

/** `name` appears in the error. @throws Unmappable for anything but a storable string */
export function storable(value: unknown, name: string, maxLength: number): string {
  if (typeof value !== 'string') throw new Unmappable(`${name} is not a string`)
  if (!isStorable(value)) throw new Unmappable(`${name} holds characters that can't be stored`)
  if (value.length > maxLength) throw new Unmappable(`${name} is longer than ${maxLength} characters`)
  return value
}

/**
 * Milliseconds of an ISO 8601 text. NaN for an invalid one, and for 30 February, which Date accepts as a day of March.
 */
export function timeOf(iso: string): number {
  const day = new Date(iso.slice(0, 10)).getUTCDate()
  return day === Number(iso.slice(8, 10)) ? Date.parse(iso) : Number.NaN
}

/** A storable string, or null when absent. @throws Unmappable for any other type or content */
export function textAt(root: unknown, path: string, maxLength = 255): string | null {
  const value = at(root, path)
  return value === undefined || value === null || value === '' ? null : storable(value, path, maxLength)
}

/** @throws Unmappable also when it is absent */
export function requiredText(root: unknown, path: string): string {
  const value = textAt(root, path)
  if (value === null) throw new Unmappable(`${path} is missing`)
  return value
}

/** The first path with a string. */
export function firstText(root: unknown, paths: readonly string[], maxLength = 255): string | null {
  for (const path of paths) {
    const value = textAt(root, path, maxLength)
    if (value !== null) return value
  }
  return null
}
