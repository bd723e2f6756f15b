import { describe, expect, test } from 'vitest'
import { readApiConfig } from '../../../api/config.ts'
import { clientAddress, clientNetwork, readTrustedProxies } from '../../../api/limits/client-address.ts'

const trusted = readTrustedProxies('10.0.0.0/8, 2001:db8:1::/48,192.0.2.7')

describe('the address of a client', () => {
  test.each([
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['192.0.2.7', 'made up, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['10.1.2.3', '198.51.100.1, made up', '10.1.2.3'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['2001:db8:1::5', '[2001:db8:9:8:7:6:5:4]:443', '2001:db8:9:8:7:6:5:4'],
    ['2001:db8:2::5', undefined, '2001:db8:2::5'],
    [undefined, '198.51.100.1', ''],
  ])('peer %s with X-Forwarded-For %s is client %s', (peer, forwardedFor, client) => {
    expect(clientAddress(peer, forwardedFor, trusted)).toBe(client)
  })

  test('no proxy is trusted unless RECOUP_TRUSTED_PROXIES names it', () => {
    expect(clientAddress('127.0.0.1', '198.51.100.1', readTrustedProxies(''))).toBe('127.0.0.1')
  })

  test('budgets are per IPv4 address, or per IPv6 /64', () => {
    expect(clientNetwork('198.51.100.1')).toBe('198.51.100.1')
    expect(clientNetwork('2001:db8:9:8:7:6:5:4')).toBe('2001:db8:9:8::/64')
    expect(clientNetwork('2001:db8:9:8:ffff::1')).toBe('2001:db8:9:8::/64')
    expect(clientNetwork('')).toBe('')
  })

  test('an invalid address is refused at startup', () => {
    const env = { DATABASE_URL: 'postgres://x', RECOUP_ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}` }
    expect(readApiConfig({ ...env, RECOUP_TRUSTED_PROXIES: '10.0.0.0/8' }).trustedProxies.has('10.1.1.1')).toBe(true)
    for (const wrong of ['10.0.0.0/33', 'proxy.internal', '10.0.0.1;10.0.0.2'])
      expect(() => readApiConfig({ ...env, RECOUP_TRUSTED_PROXIES: wrong })).toThrow('RECOUP_TRUSTED_PROXIES')
  })
})
