import { describe, expect, test } from 'vitest'
import { adapters } from '../../../adapters/registry.ts'
import { keptVerification, withFormerVerification, withVerification } from '../../../adapters/shared/secret-fields.ts'

const fields = { notificationFields: ['hmac', 'password'] }

describe('a new secret', () => {
  test('keeps the fields that verify notifications if it has none of them', () => {
    const old = { apiKey: 'a', hmac: 'h', password: 'p', note: 'gone' }
    expect(withVerification({ apiKey: 'b' }, old, fields)).toEqual({ apiKey: 'b', hmac: 'h', password: 'p' })
  })

  test('keeps none of those fields if it has some of them', () => {
    const old = { apiKey: 'a', hmac: 'h', password: 'p' }
    expect(withVerification({ apiKey: 'b', hmac: 'i' }, old, fields)).toEqual({ apiKey: 'b', hmac: 'i' })
  })
})

describe('the former verification', () => {
  test('contains only the fields that verify notifications', () => {
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
  ])('is null if %j has no verification field that differs in %j', (old, next) => {
    expect(keptVerification(old, next, fields)).toBeNull()
  })

  test('replaces the verification fields of the current secret and keeps its other fields', () => {
    const current = { apiKey: 'b', hmac: 'i', password: 'new' }
    expect(withFormerVerification(current, { hmac: 'h', password: null })).toEqual({ apiKey: 'b', hmac: 'h' })
  })
})

test('an API key is never kept, unless the PSP signs with it', () => {
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
