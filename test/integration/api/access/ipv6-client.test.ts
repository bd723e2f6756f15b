import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../../../api/limits/connections.ts'
import { createStage, type Stage } from '../stage.ts'

/** Some containers have no IPv6 at all. */
const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer()
  probe.once('error', () => resolve(false))
  probe.listen(0, '::1', () => probe.close(() => resolve(true)))
})

describe.skipIf(!hasIpv6)('an IPv6 client, over a socket', () => {
  let stage: Stage
  let server: Server
  let port: number
  beforeAll(async () => {
    stage = await createStage({ unauthenticatedLimitPerMinute: 3 })
    // Both address families, like a production server.
    server = createHttpServer(stage.app.fetch, stage.deps.log).listen(0, '::') as Server
    await new Promise((resolve) => server.once('listening', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    server.close()
    server.closeAllConnections()
    await stage[Symbol.asyncDispose]()
  })

  const get = async (host: string, token = '', path = '/v1/integrations') => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    return (await fetch(`http://${host}:${port}${path}`, { headers })).status
  }
  const issue = async (addresses: string[]) => {
    const { accountId, merchantUuid } = stage
    return (await stage.issue({ accountId, scope: 'merchant', merchantUuid, addresses })).token
  }

  test('is checked against the addresses of its credential, like an IPv4 client on the same port', async () => {
    const [six, four] = [await issue(['::1/128']), await issue(['127.0.0.0/8'])]
    expect([await get('[::1]', six), await get('127.0.0.1', six)]).toEqual([200, 403])
    expect([await get('127.0.0.1', four), await get('[::1]', four)]).toEqual([200, 403])
  })

  test('has its own rate limit when unauthenticated', async () => {
    const spent = async (host: string) => {
      const codes: number[] = []
      for (let n = 0; n < 5; n++) codes.push(await get(host))
      return codes
    }
    expect((await spent('[::1]')).at(-1)).toBe(429)
    expect(await get('127.0.0.1')).toBe(401)
  })
})
