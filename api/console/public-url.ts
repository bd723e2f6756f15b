import { ApiError } from '../http/errors.ts'

/** The API's default port on loopback. */
export const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:8080'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/

/** The address that people open, and what its scheme permits. */
export interface PublicUrl {
  origin: string
  /** Name and `Secure` of the session's cookie; null where a cookie could be read on the way. */
  cookie: { name: string; secure: boolean } | null
  /** Whether a request's `Origin` is the console. Any loopback address is, if the public one is. */
  isOwn(origin: string | undefined): boolean
}

/**
 * Safari drops `Secure` cookies of http: addresses, also of loopback ones, where nobody listens on the way.
 * @see WebKit bug 281149
 */
export function readPublicUrl(address: string): PublicUrl {
  const { origin, protocol, hostname } = new URL(address)
  if (protocol === 'https:')
    return { origin, cookie: { name: '__Host-recoup', secure: true }, isOwn: (one) => one === origin }
  if (!LOOPBACK.test(hostname)) return { origin, cookie: null, isOwn: (one) => one === origin }
  return { origin, cookie: { name: 'recoup_console', secure: false }, isOwn: isLoopback }
}

function isLoopback(origin: string | undefined): boolean {
  if (!origin || !URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && LOOPBACK.test(hostname)
}

/** @throws ApiError 403 where people may not sign in */
export function cookieOf({ cookie, origin }: PublicUrl): { name: string; secure: boolean } {
  if (cookie) return cookie
  throw new ApiError(
    403,
    'console_needs_https',
    `The console's address ${origin} is not encrypted: a session could be stolen. Serve it over https and set RECOUP_PUBLIC_URL.`,
  )
}
