import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { open, readKeyRing, seal, sealContext } from '../../../db/core/seal.ts'

const key = () => randomBytes(32).toString('base64')
const place = sealContext.integrationSecret({ integrationId: 'i-1', source: 'stripe', merchantUuid: 'm-1' })

describe('sealing', () => {
  test('a sealed text opens again, whatever it is', () => {
    const ring = readKeyRing(`k1:${key()}`)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(open(ring, seal(ring, text, place), place)).toBe(text)
      }),
    )
  })

  test('the same text is sealed differently each time, and is not visible', () => {
    const ring = readKeyRing(`k1:${key()}`)
    const [one, other] = [seal(ring, 'sk_test_canary', place), seal(ring, 'sk_test_canary', place)]
    expect(one).not.toBe(other)
    expect(one).not.toContain('canary')
  })

  test('text of another integration, source or merchant does not open here: a swapped row fails closed', () => {
    const ring = readKeyRing(`k1:${key()}`)
    const sealed = seal(ring, 'secret', place)
    for (const change of [{ integrationId: 'i-2' }, { source: 'paypal' }, { merchantUuid: 'm-2' }]) {
      const other = sealContext.integrationSecret({
        integrationId: 'i-1',
        source: 'stripe',
        merchantUuid: 'm-1',
        ...change,
      })
      expect(() => open(ring, sealed, other)).toThrow('altered, or of another place')
    }
  })

  test('altered text does not open', () => {
    const ring = readKeyRing(`k1:${key()}`)
    const sealed = seal(ring, 'secret', place)
    const last = sealed.at(-2) === 'A' ? 'B' : 'A'
    expect(() => open(ring, sealed.slice(0, -2) + last + sealed.at(-1), place)).toThrow('altered')
  })

  test('after a rotation the new key seals, and both open', () => {
    const [old, fresh] = [`old:${key()}`, `new:${key()}`]
    const before = seal(readKeyRing(old), 'secret', place)
    const both = readKeyRing(`${fresh},${old}`)
    expect(seal(both, 'x', place)).toMatch(/^v1\.new\./)
    expect(open(both, before, place)).toBe('secret')
    expect(() => open(readKeyRing(fresh), before, place)).toThrow('its key is not in the ring')
  })

  test('a ring that names a key id twice is refused: one of the two would be lost', () => {
    expect(() => readKeyRing(`k1:${key()},k1:${key()}`)).toThrow('names a key id twice')
  })

  for (const wrong of ['', 'k1', 'k1:short', `bad id:${key()}`, `k1:${key()},`])
    test(`a ring like ${JSON.stringify(wrong.slice(0, 10))}… is refused without showing it`, () => {
      expect(() => readKeyRing(wrong)).toThrow(/^RECOUP_ENCRYPTION_KEYS must be "id:key" pairs/)
    })
})

test('a nonce is never used twice, even beyond those that are generated together', () => {
  const ring = readKeyRing(`k:${Buffer.alloc(32, 3).toString('base64')}`)
  const nonces = Array.from({ length: 1_000 }, () => seal(ring, 'text', ['place']).split('.')[2])
  expect(new Set(nonces).size).toBe(1_000)
})
