import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import type { ApiEnv } from '../context.ts'
import { ApiError, payloadTooLarge } from '../http/errors.ts'

const MAX_BYTES = 8_192
/** Directives of the policy; the metric's label is one of them or `other`. */
const DIRECTIVES = [
  ...['script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem', 'style-src-attr'],
  ...['img-src', 'connect-src', 'frame-src', 'form-action', 'base-uri', 'frame-ancestors', 'font-src', 'default-src'],
  ...['require-trusted-types-for', 'trusted-types'],
]

/** The two forms of `report-uri` and `report-to`. Only the directive is read: addresses of pages may name persons. */
const directive = z.string().max(200)
const old = z.object({ 'csp-report': z.object({ 'violated-directive': directive }) })
const modern = z.array(z.object({ body: z.object({ effectiveDirective: directive }) })).max(20)

export const limitReport = bodyLimit({
  maxSize: MAX_BYTES,
  onError: () => {
    throw payloadTooLarge('The report exceeds the maximum size of 8 KB.')
  },
})

/** Directives that a page of the console violated. @throws ApiError 400 for anything else than a browser's report */
export async function readCspReports(c: Context<ApiEnv>): Promise<string[]> {
  const body: unknown = await c.req.json().catch(() => null)
  const first = old.safeParse(body)
  if (first.success) return [known(first.data['csp-report']['violated-directive'])]
  const second = modern.safeParse(body)
  if (second.success) return second.data.map((report) => known(report.body.effectiveDirective))
  throw new ApiError(400, 'validation_failed', 'body: Must be a report of a content security policy')
}

function known(violated: string): string {
  const [name = ''] = violated.split(' ')
  return DIRECTIVES.includes(name) ? name : 'other'
}
