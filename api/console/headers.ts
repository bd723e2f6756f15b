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

/**
 * Features of browsers that ask the person or reach a device. Not newer ones: a browser that doesn't know a name warns.
 * @see https://github.com/w3c/webappsec-permissions-policy/blob/main/features.md
 */
const DENIED = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'clipboard-read', 'display-capture'],
  ...['encrypted-media', 'fullscreen', 'gamepad', 'geolocation', 'gyroscope', 'hid', 'identity-credentials-get'],
  ...['idle-detection', 'keyboard-map', 'local-fonts', 'magnetometer', 'microphone', 'midi', 'otp-credentials'],
  ...['payment', 'picture-in-picture', 'publickey-credentials-create', 'publickey-credentials-get'],
  ...['screen-wake-lock', 'serial', 'storage-access', 'sync-xhr', 'usb', 'window-management', 'xr-spatial-tracking'],
]

/** The console copies. It never reads what a person copied elsewhere. */
const PERMISSIONS = [...DENIED.map((name) => `${name}=()`), 'clipboard-write=(self)'].join(', ')

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
