import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compress, decompress } from '../../../db/core/compression.ts'
import { formOf, open, readKeyRing, seal, sealContext } from '../../../db/core/seal.ts'

const ring = readKeyRing(`k1:${randomBytes(32).toString('base64')}`)
const place = sealContext.rawObject('i-1')

describe('a compressed text', () => {
  test('is the same again, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.json(), (text, json) => {
        const stored = text.toWellFormed()
        for (const one of [stored, json, stored.repeat(2_000)]) expect(decompress(compress(one))).toBe(one)
      }),
    )
  })

  test('that an earlier build compressed can be read: the dictionary never changes', () => {
    expect(decompress(Buffer.from(EARLIER, 'base64'))).toBe(DISPUTE)
  })

  test('is sealed in a form of its own, which opens like the other and says what it is', () => {
    const sealed = seal(ring, DISPUTE, place, 'v2')
    expect([formOf(sealed), formOf(seal(ring, DISPUTE, place))]).toEqual(['v2', 'v1'])
    expect(open(ring, sealed, place)).toBe(DISPUTE)
    expect(sealed.length).toBeLessThan(seal(ring, DISPUTE, place).length / 2)
    expect(() => open(ring, sealed, sealContext.rawObject('i-2'))).toThrow('altered, or of another place')
    // The form is part of what is authenticated.
    expect(() => open(ring, sealed.replace('v2.', 'v1.'), place)).toThrow('altered')
  })
})

const DISPUTE =
  '{"id":"du_1Np","object":"dispute","amount":1099,"currency":"eur","evidence":{"access_activity_log":null,"appeal":null,"billing_address":null,"customer_email_address":"jane@example.com"},"evidence_details":{"due_by":1796941680,"has_evidence":false,"past_due":false,"submission_count":0},"reason":"fraudulent","status":"needs_response"}'
const EARLIER = 'Q6q0/QrwV9uGBpaW2Ap6ahbBuIrBrMS8VJSikFDyNrc0szQxNLMwoCAxkh6aAA=='
