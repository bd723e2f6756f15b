import { Hono } from 'hono'
import { pendingMigrations } from '../../db/core/migrate.ts'
import type { ApiDeps, ApiEnv } from '../context.ts'
import { ApiError, errorResponse } from './errors.ts'
import type { Metrics } from './metrics.ts'

const READY_MS = 2_000
/** How long a result is cached, so that probes can't use up Postgres' connections. */
const KEPT_MS = 1_000

/**
 * Liveness and readiness. Neither needs a credential or reveals anything about a tenant.
 * @param readPending names of the migrations that the database lacks
 */
export function probes(
  { db, clock }: Pick<ApiDeps, 'db' | 'clock'>,
  readPending: typeof pendingMigrations = pendingMigrations,
): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  let look: { at: number; pending: Promise<string[] | null> } | undefined
  function pendingNow(): Promise<string[] | null> {
    if (look && performance.now() - look.at < KEPT_MS) return look.pending
    look = { at: performance.now(), pending: withDeadline(readPending(db)).catch(() => null) }
    return look.pending
  }
  app.get('/health', (c) => c.json({ status: 'ok' }))

  /**
   * 503 while Postgres is unreachable or its schema is older than this version. A clock difference is reported and
   * compensated.
   */
  app.get('/ready', async (c) => {
    const pending = await pendingNow()
    if (pending === null) throw unready('Postgres does not answer.')
    if (pending.length > 0)
      throw unready(`Migrations are pending: ${pending.join(', ')}. Run \`npm run recoup -- migrate\`.`)
    const clockProblem = clock?.problem()
    return c.json({ status: 'ready', ...(clockProblem && { problems: [clockProblem] }) })
  })
  return app
}

/** The operators' port: probes unaffected by clients of the public port, and metrics. */
export function operatorsApp(deps: Pick<ApiDeps, 'db' | 'clock' | 'log'>, metrics: Metrics): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>()
  app.onError((error, c) => errorResponse(c, deps.log, error))
  app.route('/', probes(deps))
  app.get('/metrics', async (c) => {
    const { text, type } = await metrics.render()
    return c.body(text, 200, { 'content-type': type })
  })
  return app
}

const unready = (message: string) => new ApiError(503, 'not_ready', message, { 'retry-after': '1' })

function withDeadline<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no response in time')), READY_MS)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
