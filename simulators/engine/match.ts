/** Matches the requests of a fault or a hold; omitted fields match everything. */
export interface Match {
  method?: string | undefined
  /**
   * A path (`/v1/disputes`) and everything under it, an ending (`/close`), or a pattern in which `*` and `{name}`
   * stand for one segment. With `exact` only the very path.
   */
  path?: string | undefined
  exact?: boolean | undefined
  /** Text that the request's body contains, if the path does not name the dispute. */
  body?: string | undefined
}

export function matches(match: Match | undefined, method: string, path: string, body = ''): boolean {
  if (match?.body !== undefined && !body.includes(match.body)) return false
  if (match?.method !== undefined && match.method.toUpperCase() !== method) return false
  if (match?.path === undefined) return true
  const wanted = match.path.replace(/\/+$/, '')
  const pattern = wanted
    .split(/(\*|\{\w+\}|:\w+(?=\/|$))/)
    .map((part, index) => (index % 2 === 1 ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')))
    .join('')
  if (new RegExp(`^${pattern}$`).test(path)) return true
  if (match.exact === true) return false
  return (
    new RegExp(`^${pattern}/`).test(path) || new RegExp(`${wanted.startsWith('/') ? '' : '/'}${pattern}$`).test(path)
  )
}
