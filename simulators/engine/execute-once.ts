import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { SimulatorEnv } from './conduct.ts'
import type { StoredResponse } from './contract.ts'
import type { DisputeEngine } from './engine.ts'

export interface OnceAnswer {
  status: number
  body: string
  replayed: boolean
}

/**
 * Executes a write the first time its idempotency key is seen in an account, and repeats the stored answer after that.
 * `run` answers the body of a 200, or an error that the PSP remembers too. @throws what `run` throws, unremembered
 */
export function executeOnce(
  engine: DisputeEngine,
  c: Context<SimulatorEnv>,
  order: { account: string; key: string; request: unknown },
  run: () => string | { status: number; body: string },
): OnceAnswer | 'key in use' | 'key reused' {
  const { account, key, request } = order
  if (engine.answers.inFlight.has(key)) return 'key in use'
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([c.req.path, request]))
    .digest('hex')
  const stored = engine.answers.find(`${account} ${key}`, engine.now())
  if (stored && stored.fingerprint !== fingerprint) return 'key reused'
  if (stored) return { status: stored.status, body: stored.body, replayed: true }

  const fault = c.get('fault')
  const trouble = { status: 500, body: engine.profile.errorResponse('500', undefined).body }
  const result = fault === '500_stored' ? trouble : run()
  const shown = typeof result === 'string' ? { status: 200, body: result } : result
  const answer = fault === '500_after_apply' ? trouble : shown
  const fresh: StoredResponse = { key: `${account} ${key}`, at: engine.now(), fingerprint, ...answer }
  engine.answers.store(fresh)
  return { ...answer, replayed: false }
}
