import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../../../domain/accounts/addresses.ts'

describe('e-mail addresses in a text', () => {
  test.each([
    ['JSON', '{"email":"Jane.Doe@Example.COM","to":["b@x.org"]}', ['jane.doe@example.com', 'b@x.org']],
    ['prose', 'Write to <jane@example.com>, or jane+shop@example.com.', ['jane@example.com', 'jane+shop@example.com']],
    ['a URL', 'https://x.org/?email=jane%40example.com&a=1', ['jane@example.com']],
    ['escaped JSON', '"jane\\u0040example.com"', ['jane@example.com']],
    ['twice in different case', 'A@x.org a@X.ORG', ['a@x.org']],
    ['other scripts', 'mailto:jänë@exämple.org', ['jänë@exämple.org'.normalize('NFC')]],
    ['an apostrophe', "o'brien@example.com", ['brien@example.com']],
    ['no address', 'a @ b, @, user@, @host', []],
  ])('are found in %s', (_, text, expected) => {
    expect(addressesIn(text)).toEqual(expected)
  })

  test('an address is found in any text that contains it between delimiters', () => {
    const local = fc.stringMatching(/^[a-zA-Z0-9][a-z0-9.+_-]{0,20}[a-z0-9]$/)
    const domain = fc.stringMatching(/^[a-zA-Z0-9]{1,10}(\.[a-z]{2,5}){1,2}$/)
    fc.assert(
      fc.property(local, domain, fc.constantFrom('"', ' ', '<', '(', ',', '\n'), (before, host, around) => {
        const address = `${before}@${host}`
        const [alone] = addressesIn(address)
        expect(addressesIn(`x${around}${address}${around}y`)).toContain(alone)
      }),
    )
  })

  test('a long text without delimiters is read quickly', () => {
    const began = performance.now()
    addressesIn('a'.repeat(2_000_000))
    addressesIn('@'.repeat(100_000))
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})
