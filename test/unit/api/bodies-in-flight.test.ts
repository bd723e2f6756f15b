import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import type { Principal } from '../../../api/auth/principal.ts'
import type { ApiEnv } from '../../../api/context.ts'
import { limitBodies } from '../../../api/http/body.ts'
import type { ApiError } from '../../../api/http/errors.ts'

const MB = 1_048_576
const OF_1_MB = { 'content-length': String(MB) }

interface Sent {
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
}

/** Requests that announce a body and stay in flight until they are released. */
function holding() {
  const held: (() => void)[] = []
  const app = new Hono<ApiEnv>()
  app.onError((error, c) => c.text(error.message, (error as ApiError).status))
  app.use(async (c, next) => {
    const [accountId = '', network = ''] = (c.req.header('from') ?? '').split(' at ')
    c.set('principal', { credentialId: accountId, accountId } as Principal)
    c.set('clientNetwork', network)
    await next()
  })
  app.use(limitBodies())
  app.post('/', async (c) => {
    await new Promise<void>((release) => held.push(release))
    return c.text('')
  })
  const send = async (from: string, { headers = OF_1_MB, body = 'x' }: Sent = {}) => {
    const response = await app.request('/', { method: 'POST', headers: { from, ...headers }, body })
    return response.status === 200 ? 200 : `${response.status} ${await response.text()}`
  }
  /** Requests that are in flight when this returns. */
  async function hold(count: number, from: string, sent?: Sent) {
    const before = held.length
    const responses = Array.from({ length: count }, () => send(from, sent))
    await vi.waitUntil(() => held.length === before + count, { timeout: 30_000 })
    return responses
  }
  return {
    hold,
    /** The response to one more request, or that it is in flight. */
    one: (from: string, sent?: Sent) => {
      const before = held.length
      const inFlight = vi.waitUntil(() => held.length > before, { timeout: 30_000 }).then(() => 'in flight')
      inFlight.catch(() => undefined)
      return Promise.race([send(from, sent), inFlight])
    },
    release: (count = held.length) => {
      for (const release of held.splice(0, count)) release()
    },
  }
}
const FULL = '503 Too many bytes are being sent at once. Try again.'

describe('finding 3: bytes of bodies, counted before they are read', () => {
  test('are limited to 32 MB per account, whatever its addresses, and are released when a request ends', async () => {
    const { one, hold, release } = holding()
    const responses = [...(await hold(16, 'one at a')), ...(await hold(16, 'one at b'))]
    expect(await one('one at c')).toBe(FULL)
    const other = await hold(1, 'two at c')
    release(1)
    expect(await responses[0]).toBe(200)
    const again = await hold(1, 'one at c')
    release()
    expect(await Promise.all([...responses, ...other, ...again])).toEqual(Array(34).fill(200))
  })

  test('are limited to 32 MB per address, whatever its accounts', async () => {
    const { one, hold, release } = holding()
    const responses = [...(await hold(16, 'one at a')), ...(await hold(16, 'two at a'))]
    expect(await one('three at a')).toBe(FULL)
    release()
    expect(await Promise.all(responses)).toEqual(Array(32).fill(200))
  })

  test('are limited to 64 MB in total', async () => {
    const { one, hold, release } = holding()
    const responses = [...(await hold(32, 'one at a')), ...(await hold(32, 'two at b'))]
    expect(await one('three at c')).toBe(FULL)
    release(1)
    expect(await responses[0]).toBe(200)
    responses.push(...(await hold(1, 'three at c')))
    release()
    expect(await Promise.all(responses)).toEqual(Array(65).fill(200))
  })

  test.each([
    ['a body of unknown length counts as 2 MB', { headers: { 'transfer-encoding': 'chunked' } }],
    [
      'a compressed body counts as what it may inflate to',
      {
        headers: { 'content-encoding': 'gzip', 'content-length': String(MB) },
        body: new Uint8Array(gzipSync('x')),
      },
    ],
  ])('%s', async (_, sent) => {
    const { one, hold, release } = holding()
    await hold(30, 'one at a')
    await hold(1, 'one at a', sent)
    expect(await one('one at a', { headers: { 'content-length': '1' } })).toBe(FULL)
    release()
  })
})
