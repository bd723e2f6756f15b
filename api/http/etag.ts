import { createHash } from 'node:crypto'
import type { Context } from 'hono'

/**
 * Sets the entity tag of the response and compares it with `If-None-Match`: any of a list, or `*`. The comparison is
 * weak, because a compressed response has a weak tag. The client may keep the response and asks each time whether it is
 * current.
 * @returns true when the client's copy is current: 304
 * @see RFC 9110, 13.1.2
 */
export function isUnchanged(c: Context, version: string): boolean {
  c.header('etag', `"${version}"`)
  c.header('cache-control', 'private, no-cache')
  const known = c.req.header('if-none-match')
  return known !== undefined && names(known, version)
}

/** Version of data that has none of its own, such as a list. */
export const versionOf = (data: unknown) =>
  createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 22)

/**
 * Whether `If-Match` or `If-None-Match` names the version, or any by `*`. Weak tags count as well: a client that asked for
 * gzip has no other.
 */
export function names(header: string, version: string): boolean {
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return header.trim() === '*' || tags.some((one) => one.replace(/^W\//, '') === `"${version}"`)
}
