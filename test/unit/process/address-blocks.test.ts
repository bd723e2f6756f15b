import { expect, test } from 'vitest'
import { addressBlocks } from '../../../process/address-blocks.ts'

test.each([
  '',
  '192.0.2',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/',
  '192.0.2.0/8/8',
  '2001:db8::/129',
  'localhost',
  '192.0.2.0/1e1',
])('"%s" is no address block', (block) => {
  expect(() => addressBlocks(['10.0.0.0/8', block])).toThrow(`"${block}" is no address block`)
})

test.each(['', 'unknown', '10.0.0', 'fe80::1%eth0x'])('"%s" is in no block', (address) => {
  expect(addressBlocks(['0.0.0.0/0']).has(address)).toBe(false)
})
