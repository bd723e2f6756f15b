import { OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { inScope } from '../db/core/scope.ts'
import { authorize, limitProbes, limitUnauthenticated } from './auth/access.ts'
import { createAuthenticator } from './auth/auth.ts'
import { requireRole } from './auth/roles.ts'
import { consoleRoutes } from './console/console.ts'
import { guardConsole } from './console/guard.ts'
import { isForwarded, routedPath } from './console/paths.ts'
import { DEFAULT_PUBLIC_URL, readPublicUrl } from './console/public-url.ts'
import { createConsoleSessions } from './console/sessions.ts'
import type { ApiDeps, ApiEnv } from './context.ts'
import { checkJson, limitBodies } from './http/body.ts'
import { compressResponses } from './http/compression.ts'
import { docs } from './http/docs.ts'
import { ApiError, errorResponse } from './http/errors.ts'
import { idempotency } from './http/idempotency.ts'
import { plainMediaType } from './http/media-type.ts'
import { createMetrics } from './http/metrics.ts'
import { observe } from './http/observe.ts'
import { openApiDocument } from './http/openapi.ts'
import { type KnownPaths, knownPaths } from './http/paths.ts'
import { probes } from './http/probes.ts'
import { strictInput } from './http/strict-input.ts'
import { createRateLimits } from './limits/rate-limit.ts'
import { operations } from './operations.ts'
import { notificationRoutes } from './routes/notifications/notifications.ts'

const unknownPath = () => new ApiError(404, 'path_not_found', 'There is nothing at this path.')

/**
 * The HTTP interface and the console. Middleware in order: observe, compress, origin of a console's request, known path,
 * credential or session, rate limit, role, merchant, body, idempotency key.
 */
export function createApp(deps: ApiDeps): OpenAPIHono<ApiEnv> {
  const { db, environment, log } = deps
  const app = new OpenAPIHono<ApiEnv>({ getPath: routedPath })
  const metrics = deps.metrics ?? createMetrics(deps)
  const limits = createRateLimits(deps)
  const authenticator = createAuthenticator(db, environment, deps.now ?? (() => new Date()))
  const publicUrl = readPublicUrl(deps.publicUrl ?? DEFAULT_PUBLIC_URL)
  const sessions = createConsoleSessions(deps, publicUrl)
  // Made when it is first asked for: it takes longer than everything else here.
  let description: string | undefined
  let paths: KnownPaths | undefined
  const known = () => (paths ??= knownPaths(app.routes))

  app.onError((error, c) => errorResponse(c, log, error))
  app.notFound((c) => errorResponse(c, log, unknownPath()))
  app.use(observe(deps, metrics, known), compressResponses, guardConsole(publicUrl))
  app.use('*', async (c, next) => {
    const { method, path } = c.req
    const found = known().find(path)
    if (found?.methods.includes(method)) return next()
    // The console says so with a page.
    if (!found && method === 'GET' && path.startsWith('/console/')) return next()
    await limitUnauthenticated(limits)(c, async () => {})
    if (!found) throw unknownPath()
    throw new ApiError(405, 'method_not_allowed', `${method} is not possible here.`, {
      allow: found.methods.join(', '),
    })
  })
  for (const path of ['/health', '/ready']) app.use(path, limitProbes(limits))
  app.use('/docs/*', limitUnauthenticated(limits))
  app.route('/', probes(deps))
  app.route('/', docs())
  app.route('/', consoleRoutes(deps, { limits, metrics, publicUrl, sessions }))
  app.get('/v1/openapi.json', limitUnauthenticated(limits), (c) => {
    description ??= JSON.stringify(openApiDocument())
    return c.body(description, 200, { 'content-type': 'application/json' })
  })
  // Registered before the operations, because PSPs send a signature instead of a credential.
  app.use('/v1/notifications/*', (_c, next) => inScope('system', next))
  app.route('/v1', notificationRoutes(deps, limits))
  const callerOf = (c: Context<ApiEnv>) =>
    isForwarded(c.req.raw) ? sessions.callerOf(c) : authenticator.authenticate(c.req.header('authorization'))
  const before = (v1: OpenAPIHono<ApiEnv>) =>
    v1.use(
      '*',
      authorize(authenticator, callerOf, limits, requireRole(v1)),
      plainMediaType,
      limitBodies(),
      checkJson(),
      strictInput(v1),
      idempotency(deps),
    )
  app.route('/v1', operations(deps, before))
  return app
}
