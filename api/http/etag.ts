import type { Context } from 'hono'

/**
 * Sets the entity tag of the response and compares it with `If-None-Match`: any of a list, or `*`. The comparison is
 * weak, because a compressed response has a weak tag. The client may keep the response and asks each time whether it is
 * current.
 * @returns true when the client's copy is current: 304
 * @see RFC 9110, 13.1.2
 */
export function isUnchanged(c: Context, version: string): boolean {
  const etag = `"${version}"`
  c.header('etag', etag)
  c.header('cache-control', 'private, no-cache')
  const known = c.req.header('if-none-match')?.trim()
  if (known === undefined) return false
  return known === '*' || (known.match(/(?:W\/)?"[^"]*"/g) ?? []).some((one) => one.replace(/^W\//, '') === etag)
}
