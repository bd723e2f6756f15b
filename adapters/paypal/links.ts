import { PspError } from '../errors.ts'
import { at, listAt } from '../shared/facts.ts'

/** Hosts in PayPal's links; they vary between responses. */
const HOSTS = new Set(['api.paypal.com', 'api-m.paypal.com', 'api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'])

/**
 * Path and query of a link, for the client's own host. Only the path is used, so that a link can't redirect the token.
 * @throws PspError unavailable for a link to a host that isn't PayPal's
 */
export function pathOf(href: string): string {
  const url = URL.canParse(href) ? new URL(href) : null
  if (url === null || !HOSTS.has(url.hostname)) {
    throw new PspError('unavailable', 'PayPal answered with a link to a foreign host, which is not followed.')
  }
  return `${url.pathname}${url.search}`
}

/** The merchant's current actions, in one spelling: PayPal uses both `accept_claim` and `accept-claim`. */
export function actionsOf(dispute: unknown): Set<string> {
  const rels = listAt(dispute, 'links').map((link) => (typeof link.rel === 'string' ? link.rel : ''))
  return new Set(rels.map((rel) => rel.replaceAll('-', '_')).filter((rel) => rel !== '' && rel !== 'self'))
}

/** Path and query of a list's `next` link; null at its end. */
export function nextPath(list: unknown): string | null {
  const next = listAt(list, 'links').find((link) => link.rel === 'next')
  const href = at(next, 'href')
  return typeof href === 'string' ? pathOf(href) : null
}
