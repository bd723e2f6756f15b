import type { ComponentType } from 'preact'

export interface ScreenProps {
  /** Parts of the address, by their names in `path`. */
  params: Record<string, string>
  query: URLSearchParams
}

export interface ScreenRow {
  /** `:name` is any one part. */
  path: string
  title: string
  /** Letter that opens it after `g`. Screens without one are not in the navigation. */
  key?: string
  load: () => Promise<ScreenCode>
}

export interface ScreenCode {
  Screen: ComponentType<ScreenProps>
  /** Asks for what the screen shows first, before it is rendered. @param merchant referenceId */
  readAhead?: (query: URLSearchParams, merchant: string | undefined) => Promise<void>
}

/** The address is the view: screen, id, filters, merchant. */
export interface Route extends ScreenProps {
  screen: ScreenRow | 'sign-in' | 'unknown'
}

export const QUEUE = '/console/queue'

export function routeOf(screens: readonly ScreenRow[], pathname: string, search: string): Route {
  const query = new URLSearchParams(search)
  const path = pathname.replace(/\/+$/, '')
  if (path === '/console/sign-in') return { screen: 'sign-in', params: {}, query }
  for (const screen of screens) {
    const params = matched(screen.path, path === '/console' ? QUEUE : path)
    if (params) return { screen, params, query }
  }
  return { screen: 'unknown', params: {}, query }
}

function matched(template: string, path: string): Record<string, string> | null {
  const [names, parts] = [template.split('/'), path.split('/')]
  if (names.length !== parts.length) return null
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const part = decode(parts[index] ?? '')
    if (part === null || (name.startsWith(':') ? part === '' : part !== name)) return null
    if (name.startsWith(':')) params[name.slice(1)] = part
  }
  return params
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

/** Query of a link to another screen: the merchant stays. */
export const merchantQuery = (query: URLSearchParams): string =>
  withQuery(new URLSearchParams(), { m: query.get('m') ?? '' })
