import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readApiConfig } from '../../../../api/config.ts'
import { NO_PROXIES, type TrustedProxies } from '../../../../api/limits/client-address.ts'
import { createHttpServer } from '../../../../api/limits/connections.ts'
import { operations } from '../../../interface/document.ts'
import { createStage, type Stage } from '../stage.ts'

const [CLIENT, OTHER] = ['198.51.100.1', '198.51.100.2']

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const configured = (env: Record<string, string>) =>
  readApiConfig({ DATABASE_URL: 'postgres://x', RECOUP_ENCRYPTION_KEYS: stage.keys, ...env })
const trusted = () => configured({ RECOUP_TRUSTED_PROXIES: '127.0.0.1' }).trustedProxies

/** The API on a port; its peer, the test, has the address 127.0.0.1. */
async function listening(trustedProxies: TrustedProxies) {
  const app = stage.secondApp({ trustedProxies, unauthenticatedLimitPerMinute: 2 })
  const server = createHttpServer(app.fetch, stage.deps.log, { trustedProxies, connectionsPerAddress: 4 })
  servers.push(server.listen(0, '127.0.0.1'))
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return async (path: string, forwardedFor: string, token?: string) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}${path}`, { headers: { 'x-forwarded-for': forwardedFor, ...authorization } })
    await response.arrayBuffer()
    return response.status
  }
}

describe('a route without a credential', () => {
  const withoutCredential = [
    ...operations.filter(({ security }) => security?.length === 0).map(({ name }) => name),
    ...[
      'GET /health',
      'GET /ready',
      'GET /docs',
      'GET /openapi.json',
      'GET /nowhere',
      'PUT /chargebacks',
      'GET /merchants',
    ],
  ]
  let app: Stage['app']
  beforeAll(() => {
    app = stage.secondApp({ unauthenticatedLimitPerMinute: 77 })
  })
  it.each(withoutCredential)('%s has the lowest rate limit', async (name) => {
    const [method = '', path = ''] = name.replace(/\{.*?\}/g, randomUUID()).split(' ')
    const response = await app.request(/^\/(health|ready|docs)/.test(path) ? path : `/v1${path}`, { method })
    expect(response.headers.get('ratelimit-limit')).toBe('77')
  })

  it('allows fewer requests a minute than a credential, and a credential fewer than an account', () => {
    const { unauthenticatedLimitPerMinute, rateLimitPerMinute, accountLimitPerMinute } = configured({})
    expect(unauthenticatedLimitPerMinute).toBeLessThan(rateLimitPerMinute)
    expect(rateLimitPerMinute).toBeLessThan(accountLimitPerMinute)
  })
})

describe('behind a proxy of RECOUP_TRUSTED_PROXIES', () => {
  it('each client that the proxy names has its own rate limit', async () => {
    const get = await listening(trusted())
    const statuses = []
    for (const client of [CLIENT, CLIENT, CLIENT, OTHER]) statuses.push(await get('/docs', client))
    expect(statuses).toEqual([200, 200, 429, 200])
    // The client controls everything left of the address that the proxy added.
    expect(await get('/docs', `203.0.113.9, ${CLIENT}`)).toBe(429)
  })

  it('the addresses of a credential are compared with the client’s', async () => {
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account', addresses: [`${CLIENT}/32`] })
    const get = await listening(trusted())
    expect(await get('/v1/merchants', CLIENT, token)).toBe(200)
    expect(await get('/v1/merchants', OTHER, token)).toBe(403)
    expect(await get('/v1/merchants', `${CLIENT}, ${OTHER}`, token)).toBe(403)
  })
})

describe('without a trusted proxy', () => {
  it('X-Forwarded-For is ignored: rate limit and address are those of the peer', async () => {
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account', addresses: [`${CLIENT}/32`] })
    const get = await listening(NO_PROXIES)
    expect(await get('/v1/merchants', CLIENT, token)).toBe(403)
    // The request above was the first of the two allowed.
    expect([await get('/docs', OTHER), await get('/docs', '203.0.113.9')]).toEqual([200, 429])
  })
})
