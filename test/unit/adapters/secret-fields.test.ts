import { describe, expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import { keptVerification, withFormerVerification, withVerification } from '../../../adapters/shared/secret-fields.ts'

const fields = { notificationFields: ['hmac', 'password'] }

describe('the secret that follows', () => {
  test('keeps what verifies notifications when it names none of it', () => {
    const old = { apiKey: 'a', hmac: 'h', password: 'p', note: 'gone' }
    expect(withVerification({ apiKey: 'b' }, old, fields)).toEqual({ apiKey: 'b', hmac: 'h', password: 'p' })
  })

  test('gives all of it up when it names some', () => {
    const old = { apiKey: 'a', hmac: 'h', password: 'p' }
    expect(withVerification({ apiKey: 'b', hmac: 'i' }, old, fields)).toEqual({ apiKey: 'b', hmac: 'i' })
  })
})

describe('what is kept of the old one', () => {
  test('is what verifies notifications, and nothing else', () => {
    expect(keptVerification({ apiKey: 'a', hmac: 'h' }, { apiKey: 'b', hmac: 'i' }, fields)).toEqual({
      hmac: 'h',
      password: null,
    })
  })

  test.each([
    [{ apiKey: 'a' }, { apiKey: 'b', hmac: 'i' }],
    [
      { apiKey: 'a', hmac: 'h' },
      { apiKey: 'b', hmac: 'h' },
    ],
  ])('is nothing where %j had nothing that %j has not', (old, next) => {
    expect(keptVerification(old, next, fields)).toBeNull()
  })

  test('verifies as before, with everything else as it is now', () => {
    const current = { apiKey: 'b', hmac: 'i', password: 'new' }
    expect(withFormerVerification(current, { hmac: 'h', password: null })).toEqual({ apiKey: 'b', hmac: 'h' })
  })
})

test('an API key is never kept, but where the PSP signs with it', () => {
  const kept = adapters().flatMap(({ source, secrets }) =>
    Object.values(secrets).flatMap(({ secretFields, notificationFields }) =>
      notificationFields.map((name) => `${source}: ${name}${secretFields.includes(name) ? '' : ' (no secret)'}`),
    ),
  )
  expect([...new Set(kept)].sort()).toEqual([
    'adyen: hmac',
    'adyen: webhookPassword',
    'adyen: webhookUsername (no secret)',
    'braintree: publicKey (no secret)',
    'braintree: secretKey',
    'paypal: webhookId (no secret)',
    'recoup_sandbox: hmac',
    'recoup_sandbox: notificationSecret',
    'stripe: webhookSecret',
  ])
})
