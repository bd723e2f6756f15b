import { describe, expect, test } from 'vitest'
import { endpointUrl } from '../../../domain/webhooks/endpoint-url.ts'
import { addressBlocks } from '../../../process/address-blocks.ts'
import { mayReceive } from '../../../webhooks/address-rule.ts'

// Only compared, never dialled: on a cloud machine some of them answer.
describe('addresses that no webhook may be sent to', () => {
  test.each([
    ...['127.0.0.1', '127.255.255.254', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
    ...['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', '0.0.0.0', '0.1.2.3'],
    ...['224.0.0.1', '239.255.255.250', '255.255.255.255', '240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
    ...['198.18.0.1', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
    ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1', '', 'localhost', '127.1', '0x7f.1'],
  ])('%s', (address) => {
    expect(mayReceive(address)).toBe(false)
  })
})

test.each(['8.8.8.8', '1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e'])(
  '%s is public',
  (address) => {
    expect(mayReceive(address)).toBe(true)
  },
)

test('an allowed network opens its own addresses only, and never those of a machine’s metadata', () => {
  const all = addressBlocks(['0.0.0.0/0', '::/0'])
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'])
    expect(mayReceive(address, all), address).toBe(true)
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '168.63.129.16',
    'fd00:ec2::254',
    '0.0.0.0',
    '::',
  ])
    expect(mayReceive(address, all), address).toBe(false)
  const inside = addressBlocks(['10.1.0.0/16'])
  expect(mayReceive('10.1.255.1', inside)).toBe(true)
  expect(mayReceive('::ffff:10.1.0.1', inside)).toBe(true)
  expect(mayReceive('10.2.0.1', inside)).toBe(false)
  expect(mayReceive('127.0.0.1', inside)).toBe(false)
})

describe('the address of an endpoint', () => {
  test.each([
    ['https://example.com/hooks?a=b', 'https://example.com/hooks?a=b'],
    ['https://EXAMPLE.com:443', 'https://example.com/'],
    ['https://example.com:8443/x', 'https://example.com:8443/x'],
    ['https://0x7f.1/', 'https://127.0.0.1/'],
    ['https://①②⑦.⓪.⓪.①/', 'https://127.0.0.1/'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('%s is stored as %s', (text, url) => {
    expect(endpointUrl(text, 'production')).toEqual({ url })
  })

  test.each([
    ['/hooks', 'absolute address'],
    ['http://example.com/', 'https address'],
    ['ftp://example.com/', 'https address'],
    ['javascript:alert(1)', 'https address'],
    ['https://user:word@example.com/', 'user or a password'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com:22/', 'Port 22'],
    ['https://example.com:80/', 'Port 80'],
    [`https://example.com/${'a'.repeat(2_048)}`, '2048 characters'],
    [`https://example.com/${'ü'.repeat(400)}`, '2048 characters'],
  ])('%s is refused', (text, fault) => {
    expect(endpointUrl(text, 'production')).toEqual({ fault: expect.stringContaining(fault) })
  })

  test('may be http in the sandbox', () => {
    expect(endpointUrl('http://example.com/', 'sandbox')).toEqual({ url: 'http://example.com/' })
    expect(endpointUrl('http://example.com:22/', 'sandbox')).toHaveProperty('fault')
  })
})
