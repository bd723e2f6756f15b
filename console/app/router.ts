/** The address is the view: screen, id, filters, merchant. */
export type Route =
  | { screen: 'queue'; query: URLSearchParams }
  | { screen: 'chargeback'; id: string; query: URLSearchParams }
  | { screen: 'sign-in'; query: URLSearchParams }
  | { screen: 'unknown'; query: URLSearchParams }

export const QUEUE = '/console/queue'

export function routeOf(pathname: string, search: string): Route {
  const query = new URLSearchParams(search)
  const path = pathname.replace(/\/+$/, '')
  if (path === '/console' || path === QUEUE) return { screen: 'queue', query }
  if (path === '/console/sign-in') return { screen: 'sign-in', query }
  const [, id] = /^\/console\/chargebacks\/([^/]+)$/.exec(path) ?? []
  const decoded = id === undefined ? null : decode(id)
  return decoded === null ? { screen: 'unknown', query } : { screen: 'chargeback', id: decoded, query }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Path after a sign-in: one of the console's own, else the queue. */
export function returnPath(given: string | null, origin: string): string {
  if (given === null || !URL.canParse(given, origin)) return QUEUE
  const url = new URL(given, origin)
  const isOwn = url.origin === origin && url.pathname.startsWith('/console/') && url.pathname !== '/console/sign-in'
  return isOwn ? url.pathname + url.search : QUEUE
}

/** A query with some values changed; empty ones are left out. */
export function withQuery(query: URLSearchParams, change: Record<string, string | undefined>): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(change)) {
    if (value) next.set(name, value)
    else next.delete(name)
  }
  const text = next.toString()
  return text === '' ? '' : `?${text}`
}
