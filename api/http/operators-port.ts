import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { ApiEnv } from '../context.ts'

/** A server for `operatorsApp` on its own port. The public port's budgets do not apply. */
export function createOperatorsServer(app: Hono<ApiEnv>): Server {
  return createServer(
    { connectionsCheckingInterval: 1_000 },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  )
}
