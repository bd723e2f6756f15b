import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { createApp } from '../../../../api/app.ts'
import { type Operation, operations } from '../../../interface/document.ts'
import { recipeOf } from '../../../interface/recipes.ts'
import { draft, request, type Sent, toApp } from '../../../interface/requests.ts'
import { missingIds } from '../../../interface/resources.ts'
import { faultsOfReply, type Reply } from '../../../interface/response-checks.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let account: string
let narrow: ReturnType<typeof createApp>
beforeAll(async () => {
  stage = await createStage()
  narrow = stage.secondApp({ rateLimitPerMinute: 1 })
  account = (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const guarded = operations.filter((one) => !one.open)
/** A request for missing resources or with a body that is refused, so that it changes nothing. */
function requestTo(operation: Operation): Sent {
  const { body, ...valid } = draft(recipeOf(operation), missingIds())
  return request(operation, { ...valid, body: body && { neverAField: 1 } }, { token: account })
}

async function send(sent: Sent, to: ReturnType<typeof createApp> = stage.app): Promise<Reply & { body: ErrorFields }> {
  const reply = await toApp(to)(sent)
  const { pathname } = new URL(sent.path, 'http://x')
  expect(faultsOfReply(sent.method, pathname, reply), `${sent.method} ${sent.path}`).toEqual([])
  return { ...reply, body: reply.text.startsWith('{') ? JSON.parse(reply.text) : {} }
}
interface ErrorFields {
  code?: string
  errorId?: string
  message?: string
}

describe.each(guarded)('$name', (operation) => {
  it('refuses methods that its path does not have: 405 with Allow', async () => {
    const known = operations.filter((one) => one.template === operation.template).map((one) => one.method)
    const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].sort().join(', ')
    const { body: _, ...sent } = requestTo(operation)
    for (const method of METHODS.filter((one) => !known.includes(one))) {
      const reply = await send({ ...sent, method })
      expect(reply, method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(reply.headers.get('allow')).toBe(allow)
    }
  })

  it.each(['/', '/a/b/c', '//', '.json'])('does not exist with %s at its end: 404', async (tail) => {
    const sent = requestTo(operation)
    const path = sent.path + tail
    // An id may contain a dot.
    if (operations.some((one) => one.pattern.test(path))) return
    expect(await send({ ...sent, path })).toMatchObject({ status: 404, body: { code: 'path_not_found' } })
  })

  it('needs a token', async () => {
    const sent = requestTo(operation)
    const { authorization: _, ...headers } = sent.headers
    const reply = await send({ ...sent, headers })
    expect(reply).toMatchObject({ status: 401, body: { message: 'Authorization error. Missing token header' } })
  })

  it('keeps the client’s request id, also in the log line of a refusal', async () => {
    const requestId = `check-${operation.id}`
    const sent = requestTo(operation)
    const reply = await send({
      ...sent,
      headers: { ...sent.headers, authorization: 'Bearer a.b.c', 'x-request-id': requestId },
    })
    expect(reply.headers.get('x-request-id')).toBe(requestId)
    expect(reply).toMatchObject({ status: 401, body: { errorId: expect.any(String) } })
    const line = stage.lines.find((one) => one.includes(String(reply.body.errorId))) ?? '{}'
    expect(JSON.parse(line)).toMatchObject({ requestId, code: 'invalid_credential', status: 401 })
  })

  it('counts towards the rate limit: 429 with Retry-After', async () => {
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const sent = requestTo(operation)
    const own = { ...sent, headers: { ...sent.headers, authorization: `Bearer ${token}` } }
    expect((await send(own, narrow)).status).not.toBe(429)
    const reply = await send(own, narrow)
    expect(reply).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  if (operation.method === 'GET')
    it('responds to HEAD as to GET, without the body', async () => {
      const [head, get] = [await send({ ...requestTo(operation), method: 'HEAD' }), await send(requestTo(operation))]
      expect([head.status, head.text]).toEqual([get.status, ''])
    })

  if (operation.body)
    it.each([true, false])('refuses a body above its limit: 413, with Content-Length: %s', async (withLength) => {
      const sent = requestTo(operation)
      const size = operation.body?.type === 'multipart/form-data' ? 7_000_000 : 1_048_577
      const body = new Uint8Array(size).fill(0x20)
      const headers = { ...sent.headers, ...(withLength && { 'content-length': String(size) }) }
      expect(await send({ ...sent, headers, body })).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    })
})
