import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setAddresses } from '../../../../db/merchants/credentials.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage({ rateLimitPerMinute: 20 })
})
afterAll(() => stage[Symbol.asyncDispose]())

const issue = (addresses: string[]) =>
  stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid: stage.merchantUuid, addresses })

/** A request from that address. */
async function from(remoteAddress: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const socket = { remoteAddress, remotePort: 1, remoteFamily: remoteAddress.includes(':') ? 'IPv6' : 'IPv4' }
  const response = await stage.app.request('/v1/chargebacks', { headers }, { incoming: { socket } })
  return { status: response.status, body: await response.json(), headers: response.headers }
}

describe('a credential restricted to addresses', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.77', '192.0.3.1'],
    ['192.0.2.0/24', '::ffff:192.0.2.77', '::ffff:192.0.3.1'],
    ['192.0.2.7', '192.0.2.7', '192.0.2.8'],
    ['2001:db8::/32', '2001:db8:1::1', '2001:db9::1'],
    ['0.0.0.0/0', '203.0.113.9', '2001:db8::1'],
  ])('%s: from %s, not from %s', async (block, allowed, other) => {
    const { token } = await issue(['198.51.100.1', block])
    expect((await from(allowed, token)).status).toBe(200)
    expect(await from(other, token)).toMatchObject({
      status: 403,
      body: { code: 'address_not_allowed', message: 'This credential may not be used from your address.' },
    })
  })

  test('is refused if the client’s address is unknown', async () => {
    const { token } = await issue(['192.0.2.0/24'])
    expect((await stage.call('GET', '/v1/chargebacks', { token })).status).toBe(403)
  })

  test('used from another address counts against the rate limit of that address, not of the owner', async () => {
    const { token } = await issue(['192.0.2.0/24'])
    for (let count = 0; count < 20; count++) expect((await from('198.51.100.200', token)).status).toBe(403)
    expect((await from('198.51.100.200', token)).status).toBe(429)
    const owner = await from('192.0.2.1', token)
    expect([owner.status, owner.headers.get('ratelimit-remaining')]).toEqual([200, '19'])
  })

  test('follows a change of its addresses within a second, although it is cached', async () => {
    const { token, credentialId } = await issue([])
    const status = async () => (await from('203.0.113.77', token)).status
    expect(await status()).toBe(200)
    await setAddresses(stage.db, credentialId, ['192.0.2.0/24'])
    await expect.poll(status, { timeout: 1_000, interval: 100 }).toBe(403)
    await setAddresses(stage.db, credentialId, [])
    await expect.poll(status, { timeout: 1_000, interval: 100 }).toBe(200)
  })
})
