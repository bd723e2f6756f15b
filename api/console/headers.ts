import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'

const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  // A PDF that the page has read itself: the frame could not name the merchant.
  'frame-src blob:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  'report-uri /console/csp',
  'report-to csp',
].join('; ')

/** No feature of the browser that the console doesn't use. */
const PERMISSIONS = ['camera', 'geolocation', 'microphone', 'payment', 'usb'].map((name) => `${name}=()`).join(', ')

/** Headers of shell and assets. `report-to` needs https; `report-uri` works everywhere. */
export const securityHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  c.header('content-security-policy', CONTENT_SECURITY)
  c.header('reporting-endpoints', 'csp="/console/csp"')
  c.header('referrer-policy', 'no-referrer')
  c.header('cross-origin-opener-policy', 'same-origin')
  c.header('cross-origin-resource-policy', 'same-origin')
  c.header('permissions-policy', PERMISSIONS)
  c.header('x-frame-options', 'DENY')
  await next()
}
