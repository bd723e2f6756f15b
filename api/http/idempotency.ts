import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Database } from '../../db/core/connect.ts'
import {
  claimIdempotencyKey,
  type HeldKey,
  type KeyOwner,
  releaseIdempotencyKey,
  type StoredResponse,
  storeResponse,
} from '../../db/merchants/idempotency-keys.ts'
import type { ApiDeps, ApiEnv } from '../context.ts'
import { ApiError } from './errors.ts'
import { requestHash } from './request-hash.ts'

const KEY = /^[\x20-\x7e]{1,255}$/
const CHANGES = new Set(['POST', 'PATCH', 'PUT', 'DELETE'])
/** How long a request waits for a concurrent one with its key. */
const WAIT_MS = 2_000
const POLL_EVERY_MS = 50

async function hashOf({ req }: Context): Promise<Buffer> {
  const { method, url } = req
  return requestHash({
    method,
    url,
    contentType: req.header('content-type'),
    body: Buffer.from(await req.arrayBuffer()),
  })
}

/** Same key and request: the stored response. Another request: 400. A concurrent one waits, then 409. */
export function idempotency({ db, ring }: Pick<ApiDeps, 'db' | 'ring'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined || !CHANGES.has(c.req.method)) return next()
    if (!KEY.test(key))
      throw new ApiError(400, 'invalid_idempotency_key', 'Idempotency-Key: must be 1 to 255 printable characters.')
    const owner: KeyOwner = {
      credentialId: c.get('principal').credentialId,
      merchantUuid: c.get('merchantUuid') ?? null,
      key,
    }
    const claimed = await claimOrWait(db, ring, owner, await hashOf(c))
    if (claimed.kind === 'completed') {
      const { response } = claimed
      const status = response.status as ContentfulStatusCode
      c.header('idempotent-replayed', 'true')
      if (response.body === '') return c.body(null, status)
      return c.body(response.body, status, { 'content-type': 'application/json' })
    }
    const { held } = claimed
    const claim = { held, stored: false }
    c.set('idempotency', claim)
    await next()
    // After an error the key is free again, so that the client can retry with it.
    if (!c.res.ok) await releaseIdempotencyKey(db, held)
    else if (!claim.stored) await storeResponse(db, ring, held, await responseOf(c.res))
  }
}

async function claimOrWait(
  db: Database,
  ring: ApiDeps['ring'],
  owner: KeyOwner,
  hash: Buffer,
): Promise<{ kind: 'claimed'; held: HeldKey } | { kind: 'completed'; response: StoredResponse }> {
  for (const until = performance.now() + WAIT_MS; ; await sleep(POLL_EVERY_MS)) {
    const claim = await claimIdempotencyKey(db, ring, owner, hash)
    if (claim.kind === 'claimed' || claim.kind === 'completed') return claim
    if (claim.kind === 'other_request')
      throw new ApiError(400, 'idempotency_key_reused', 'Idempotency-Key: was used for another request already.')
    if (performance.now() > until) throw stillRunning()
  }
}

const stillRunning = () =>
  new ApiError(409, 'request_in_progress', 'A request with this Idempotency-Key is still running.', {
    'retry-after': '1',
  })

const responseOf = async (response: Response): Promise<StoredResponse> => ({
  status: response.status,
  body: await response.clone().text(),
})

/**
 * Stores the response in the transaction of the change. Otherwise a crash between the two would repeat the change.
 * @param body undefined for a response without a body
 */
export async function storeIdempotentResponse(
  c: Context<ApiEnv>,
  deps: ApiDeps,
  trx: Database,
  status: number,
  body: unknown,
) {
  const claim = c.get('idempotency')
  if (!claim) return
  const response = { status, body: body === undefined ? '' : JSON.stringify(body) }
  // Thrown inside the transaction to roll it back: another request has claimed the key, and its change counts.
  if (!(await storeResponse(trx, deps.ring, claim.held, response))) throw stillRunning()
  claim.stored = true
}
