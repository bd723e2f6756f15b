import { type Handler, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { inScope } from '../../db/core/scope.ts'
import { apply, limitUnauthenticated } from '../auth/access.ts'
import { addressNotAllowed } from '../auth/auth.ts'
import type { ApiDeps, ApiEnv } from '../context.ts'
import { ApiError, payloadTooLarge } from '../http/errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { RateLimits } from '../limits/rate-limit.ts'
import { describeCaller } from '../routes/merchants/me.ts'
import { type Bundle, consoleBundle } from './bundle.ts'
import { limitReport, readCspReports } from './csp-reports.ts'
import { securityHeaders } from './headers.ts'
import type { PublicUrl } from './public-url.ts'
import type { ConsoleSessions } from './sessions.ts'
import { screenAt, shell } from './shell.ts'

const signIn = z.strictObject({ token: z.string().min(1).max(8_000) })
const MAX_SIGN_IN_BYTES = 16_384
const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

interface ConsoleParts {
  limits: RateLimits
  metrics: Metrics
  publicUrl: PublicUrl
  sessions: ConsoleSessions
}

/** The page for people: shell, assets, session. Its requests to /console/v1 are those of the API. */
export function consoleRoutes(deps: ApiDeps, parts: ConsoleParts): Hono<ApiEnv> {
  const { log } = deps
  const { limits, metrics, publicUrl, sessions } = parts
  const app = new Hono<ApiEnv>()
  let made: Promise<Bundle> | undefined
  const bundle = () => {
    made ??= consoleBundle()
    // A failure is not kept: the next request tries again.
    made.catch(() => (made = undefined))
    return made
  }
  app.use('/console/*', limitUnauthenticated(limits), securityHeaders)

  const page: Handler<ApiEnv> = async (c) => {
    const current = await bundle()
    const screen = screenAt(current, c.req.path)
    return c.html(shell(current, screen), screen === undefined ? 404 : 200)
  }
  app.get('/console', page)

  app.get('/console/assets/:name', async (c) => {
    const name = c.req.param('name')
    const content = (await bundle()).files.get(name)
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (!content || !type) throw new ApiError(404, 'path_not_found', 'There is nothing at this path.')
    return c.body(content, 200, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
  })

  // Not signed in is no error here: a page asks when it opens. It then needs what `GET /me` answers, in the same answer.
  app.get('/console/session', async (c) => {
    const session = await sessions.find(c)
    if (!session) return c.json({ signedIn: false })
    const { caller, times } = session
    if (!caller.allows(c.get('clientAddress'))) throw addressNotAllowed()
    const scope = { accountId: caller.accountId, merchantUuid: null }
    const me = await inScope(scope, () => describeCaller(deps, caller))
    return c.json({ signedIn: true, ...times, me })
  })

  app.post('/console/session', limitSignIn, async (c) => {
    if (!publicUrl.isOwn(c.req.header('origin')))
      throw new ApiError(
        403,
        'console_elsewhere',
        `The console is at ${publicUrl.origin}. Open it there, or set RECOUP_PUBLIC_URL to the address that people open.`,
      )
    const body = signIn.safeParse(await c.req.json().catch(() => null))
    if (!body.success) throw new ApiError(400, 'validation_failed', 'token: Must be the text of a bearer token')
    try {
      return c.json(await sessions.start(c, body.data.token), 201)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        apply(c, await limits.countFailedSignIn(c.get('clientNetwork')))
      throw error
    }
  })

  app.delete('/console/session', async (c) => {
    await sessions.end(c)
    return c.body(null, 204)
  })

  app.post('/console/csp', limitReport, async (c) => {
    for (const directive of await readCspReports(c)) {
      metrics.recordCspReport(directive)
      log.warn({ reason: directive }, 'content security policy violated')
    }
    return c.body(null, 204)
  })

  // After all others. An address without a screen has a page that says so.
  app.get('/console/*', page)
  return app
}

const limitSignIn = bodyLimit({
  maxSize: MAX_SIGN_IN_BYTES,
  onError: () => {
    throw payloadTooLarge('The body exceeds the maximum size of 16 KB.')
  },
})
