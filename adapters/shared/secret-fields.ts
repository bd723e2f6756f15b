import { isDeepStrictEqual } from 'node:util'
import type { SecretSchema } from '../contract.ts'

type Payload = Readonly<Record<string, unknown>>
type Fields = Pick<SecretSchema<unknown>, 'notificationFields'>

/**
 * The payload that replaces `old`. If it has no field that verifies notifications, the old ones stay, because a
 * replacement of an API key should not disable the webhook.
 */
export function withVerification(next: Payload, old: Payload, { notificationFields }: Fields): Record<string, unknown> {
  if (notificationFields.some((name) => next[name] !== undefined)) return { ...next }
  const stays = notificationFields.filter((name) => old[name] !== undefined).map((name) => [name, old[name]])
  return { ...next, ...Object.fromEntries(stays) }
}

/**
 * The part of `old` to keep, so that notifications signed with it are still verified: its verification fields only,
 * null for missing ones. Null when there are none, or the next secret has the same.
 */
export function keptVerification(old: Payload, next: Payload, { notificationFields }: Fields): Payload | null {
  if (notificationFields.every((name) => old[name] === undefined)) return null
  if (notificationFields.every((name) => isDeepStrictEqual(old[name], next[name]))) return null
  return Object.fromEntries(notificationFields.map((name) => [name, old[name] ?? null]))
}

/** The current secret with former verification fields: only for verification. */
export function withFormerVerification(current: Payload, kept: Payload): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...current, ...kept }).filter(([, value]) => value !== null))
}
