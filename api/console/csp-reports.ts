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

/** The two forms of `report-uri` and `report-to`, of which directive and page matter. */
const directive = z.string().max(200)
const old = z.object({ 'csp-report': z.object({ 'violated-directive': directive, 'document-uri': z.string() }) })
const modern = z.array(z.object({ body: z.object({ effectiveDirective: directive, documentURL: z.string() }) })).max(20)

export interface CspReport {
  directive: string
  /** Path of the page, without its query. */
  path: string
}

export const limitReport = bodyLimit({
  maxSize: MAX_BYTES,
  onError: () => {
    throw payloadTooLarge('The report exceeds the maximum size of 8 KB.')
  },
})

/** @throws ApiError 400 for anything else than a browser's report */
export async function readCspReports(c: Context<ApiEnv>): Promise<CspReport[]> {
  const body: unknown = await c.req.json().catch(() => null)
  const first = old.safeParse(body)
  if (first.success) {
    const report = first.data['csp-report']
    return [reportOf(report['violated-directive'], report['document-uri'])]
  }
  const second = modern.safeParse(body)
  if (second.success) return second.data.map(({ body: one }) => reportOf(one.effectiveDirective, one.documentURL))
  throw new ApiError(400, 'validation_failed', 'body: Must be a report of a content security policy')
}

function reportOf(violated: string, address: string): CspReport {
  const [name = ''] = violated.split(' ')
  const path = URL.canParse(address) ? new URL(address).pathname : ''
  return { directive: DIRECTIVES.includes(name) ? name : 'other', path: path.slice(0, 200) }
}
