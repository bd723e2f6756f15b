import { createPublicKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { newKeys, publicKeyOf, secretOf, signedHeaders } from '../../../webhooks/sign.ts'

const body = fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => JSON.stringify({ text }))
const id = fc.uuid().map((uuid) => `evt_${uuid.replaceAll('-', '')}`)
const messageOf = (id: string, body: string, at = new Date()) => ({ id, at, body: Buffer.from(body) })

test('the official library accepts each message under the new and the old secret, and no other', () => {
  fc.assert(
    fc.property(id, body, fc.constantFrom('hmac' as const, 'ed25519' as const), (id, body, signature) => {
      const [current, old, other] = [newKeys(signature), newKeys(signature), newKeys('hmac')]
      const headers = signedHeaders(messageOf(id, body), [...current, ...old])
      for (const keys of [current, old])
        expect(new Webhook(secretOf(keys)).verify(body, headers)).toEqual(JSON.parse(body))
      expect(() => new Webhook(secretOf(other)).verify(body, headers)).toThrow('No matching signature')
    }),
    { numRuns: 200 },
  )
})

test('the official library refuses another body, another id, and a timestamp of five minutes ago', () => {
  const keys = newKeys('hmac')
  const library = new Webhook(secretOf(keys))
  const headers = signedHeaders(messageOf('evt_1', '{}'), keys)
  expect(() => library.verify('{} ', headers)).toThrow('No matching signature')
  expect(() => library.verify('{}', { ...headers, 'webhook-id': 'evt_2' })).toThrow('No matching signature')
  const late = signedHeaders(messageOf('evt_1', '{}', new Date(Date.now() - 302_000)), keys)
  expect(() => library.verify('{}', late)).toThrow('too old')
})

test('a receiver verifies v1a from the text of the public key alone', () => {
  fc.assert(
    fc.property(id, body, (id, body) => {
      const keys = newKeys('ed25519')
      const headers = signedHeaders(messageOf(id, body), keys)
      const x = Buffer.from((publicKeyOf(keys) as string).replace('whpk_', ''), 'base64').toString('base64url')
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
      const [, signature] = headers['webhook-signature']?.split(' ') ?? []
      expect(signature?.startsWith('v1a,')).toBe(true)
      const bytes = Buffer.from(signature?.slice('v1a,'.length) ?? '', 'base64')
      const signed = (text: string) => Buffer.from(`${id}.${headers['webhook-timestamp']}.${text}`)
      expect(verify(null, signed(body), key, bytes)).toBe(true)
      expect(verify(null, signed(`${body} `), key, bytes)).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('keys have the form of the specification', () => {
  const [secret = '', privateKey = ''] = newKeys('ed25519')
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(privateKey).toMatch(/^whsk_[A-Za-z0-9+/]{86}==$/)
  expect(publicKeyOf([secret, privateKey])).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
  expect(publicKeyOf([secret])).toBeNull()
})
