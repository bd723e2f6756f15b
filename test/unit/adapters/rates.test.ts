import { describe, expect, test } from 'vitest'
import { readRates, withRates } from '../../../adapters/rates.ts'
import { adapterFor } from '../../../adapters/registry.ts'
import { readWorkerConfig } from '../../../workflows/worker/config.ts'

describe('RECOUP_PSP_REQUESTS_PER_SECOND', () => {
  test.each([
    ['', {}],
    ['stripe=23', { stripe: 23 }],
    [' stripe=23 , paypal=1,', { stripe: 23, paypal: 1 }],
  ])('%j is read', (text, rates) => expect(readRates(text)).toEqual(rates))

  test.each([
    'stripe',
    'stripe=',
    'stripe=0',
    'stripe=101',
    'stripe=2.5',
    'stripe=-1',
    'stripe=1e1',
    'paypall=5',
    '=5',
  ])('%j is refused with what is expected', (text) =>
    expect(() => readRates(text)).toThrow(/^must be pairs such as "stripe=20,paypal=8": one of stripe, .* 1 to 100/),
  )

  test('stops the worker at its start when it is wrong, by its name and without its value', () => {
    const env = {
      DATABASE_URL: 'postgres://recoup@127.0.0.1/recoup',
      RECOUP_ENCRYPTION_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
    }
    expect(readWorkerConfig(env).rates).toEqual({})
    expect(readWorkerConfig({ ...env, RECOUP_PSP_REQUESTS_PER_SECOND: 'stripe=20' }).rates).toEqual({ stripe: 20 })
    const wrong = () => readWorkerConfig({ ...env, RECOUP_PSP_REQUESTS_PER_SECOND: 'visa=77' })
    expect(wrong).toThrow(/RECOUP_PSP_REQUESTS_PER_SECOND: must be pairs/)
    expect(wrong).not.toThrow(/77/)
  })
})

describe('an adapter with another rate', () => {
  const limitsOf = (rate: number) => withRates(adapterFor, { stripe: rate })('stripe', 'APIKEY_ONLY')?.limits
  const own = adapterFor('stripe', 'APIKEY_ONLY')?.limits

  test('sends no more in one second than before, while the rate leaves room', () => {
    expect([own?.requestsPerSecond, own?.burst]).toEqual([10, 15])
    expect([5, 20, 23, 24].map((rate) => limitsOf(rate)?.burst)).toEqual([20, 5, 2, 1])
  })

  test('keeps a burst of one with a rate above that', () =>
    expect(limitsOf(60)).toMatchObject({ requestsPerSecond: 60, burst: 1, pageSize: own?.pageSize }))

  test('leaves the others as they are', () => {
    const find = withRates(adapterFor, { stripe: 20 })
    expect(find('braintree', 'APIKEY_ONLY')).toBe(adapterFor('braintree', 'APIKEY_ONLY'))
    expect(find('nobody', 'APIKEY_ONLY')).toBeUndefined()
  })
})
