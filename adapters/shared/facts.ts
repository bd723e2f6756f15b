import { storedReasonCode } from '../../domain/reason-codes.ts'
import type { RawObject, Translation } from '../contract.ts'
import { asRecord, isStorable } from './raw-json.ts'

/** Reads of an untrusted object of a PSP's, each with the path it read, so that a refusal can name it. */

/** Why an object can't become a chargeback: a path and what is wrong there, never the value. */
export class Unmappable extends Error {}

/**
 * What `translate` makes of an object's text, with the reason code in the spelling of the table; what it finds unmappable
 * is told with the reason, never thrown.
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

/** @throws Unmappable when it isn't JSON or no object */
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

/** Paths are few and read for every dispute: each is taken apart once. */
const KEYS = new Map<string, readonly string[]>()

/** The value at a dotted path, or undefined. A number in it is an index. `path` is one of ours, never data. */
export function at(root: unknown, path: string): unknown {
  const keys = KEYS.get(path) ?? path.split('.')
  KEYS.set(path, keys)
  let value = root
  for (const key of keys) value = Array.isArray(value) ? value[Number(key)] : asRecord(value)?.[key]
  return value
}

/** The objects in the array at a path; whatever else is in it is left out. */
export function listAt(root: unknown, path: string): Record<string, unknown>[] {
  const value = at(root, path)
  return Array.isArray(value) ? value.map(asRecord).filter((entry) => entry !== null) : []
}

/** `name` is told in the refusal. @throws Unmappable for anything but a string that can be stored */
export function storable(value: unknown, name: string, maxLength: number): string {
  if (typeof value !== 'string') throw new Unmappable(`${name} is not a string`)
  if (!isStorable(value)) throw new Unmappable(`${name} holds characters that can't be stored`)
  if (value.length > maxLength) throw new Unmappable(`${name} is longer than ${maxLength} characters`)
  return value
}

/** Milliseconds of an ISO 8601 text. NaN for what is none, and for 30 February, which Date takes for a day of March. */
export function timeOf(iso: string): number {
  const day = new Date(iso.slice(0, 10)).getUTCDate()
  return day === Number(iso.slice(8, 10)) ? Date.parse(iso) : Number.NaN
}

/** A string that can be stored, or null where there is none. @throws Unmappable for any other type or content */
export function textAt(root: unknown, path: string, maxLength = 255): string | null {
  const value = at(root, path)
  return value === undefined || value === null || value === '' ? null : storable(value, path, maxLength)
}

/** @throws Unmappable when it is absent too */
export function requiredText(root: unknown, path: string): string {
  const value = textAt(root, path)
  if (value === null) throw new Unmappable(`${path} is missing`)
  return value
}

/** The first path that has a string. */
export function firstText(root: unknown, paths: readonly string[], maxLength = 255): string | null {
  for (const path of paths) {
    const value = textAt(root, path, maxLength)
    if (value !== null) return value
  }
  return null
}
