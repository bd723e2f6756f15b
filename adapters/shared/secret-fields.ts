import { isDeepStrictEqual } from 'node:util'
import type { SecretSchema } from '../contract.ts'

type Payload = Readonly<Record<string, unknown>>
type Fields = Pick<SecretSchema<unknown>, 'notificationFields'>

/**
 * The payload that takes the place of `old`. When it names no field that verifies notifications, those of the old one
 * stay: who replaces an API key does not mean to give up the webhook.
 */
export function withVerification(next: Payload, old: Payload, { notificationFields }: Fields): Record<string, unknown> {
  if (notificationFields.some((name) => next[name] !== undefined)) return { ...next }
  const stays = notificationFields.filter((name) => old[name] !== undefined).map((name) => [name, old[name]])
  return { ...next, ...Object.fromEntries(stays) }
}

/**
 * What of `old` has to be kept so that notifications which it signed are still verified: its fields for that and nothing
 * else, null where it had none. Null when there are none, or the next secret has the same.
 */
export function keptVerification(old: Payload, next: Payload, { notificationFields }: Fields): Payload | null {
  if (notificationFields.every((name) => old[name] === undefined)) return null
  if (notificationFields.every((name) => isDeepStrictEqual(old[name], next[name]))) return null
  return Object.fromEntries(notificationFields.map((name) => [name, old[name] ?? null]))
}

/** The secret of now with what verified notifications before: only for verifying them. */
export function verifyingAsBefore(current: Payload, kept: Payload): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...current, ...kept }).filter(([, value]) => value !== null))
}
