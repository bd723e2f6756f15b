import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CURRENCIES,
  compareAmount,
  currencyExponent,
  decimalToMinor,
  isCurrency,
  minorToDecimal,
} from '../../../domain/money.ts'

describe('digits of a currency', () => {
  test.each([
    ['USD', 2],
    ['JPY', 0],
    ['ISK', 0],
    ['UGX', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['MRU', 2],
    ['XCG', 2],
  ])('%s has %i', (code, digits) => {
    expect(currencyExponent(code)).toBe(digits)
  })

  test.each(['usd', 'XAU', 'XXX', '', 'US', 'DEM'])('%j is not a currency of payments', (code) => {
    expect(currencyExponent(code)).toBeUndefined()
    expect(isCurrency(code)).toBe(false)
  })

  test('no code is in the table twice', () => {
    expect(new Set(CURRENCIES).size).toBe(CURRENCIES.length)
    expect(CURRENCIES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true)
    expect(CURRENCIES.length).toBeGreaterThan(155)
  })

  test('codes agree with the runtime’s own list', () => {
    // Funds codes and the newest ones are not in every runtime's list; comparing the rest finds typing errors.
    const known = new Set(Intl.supportedValuesOf('currency'))
    const others = new Set('BOV CHE CHW CLF COU MXV USN UYI UYW VED SLE XAD XCG ZWG'.split(' '))
    expect(CURRENCIES.filter((code) => !known.has(code) && !others.has(code))).toEqual([])
  })
})

describe('minor units and decimals', () => {
  test.each([
    [1099n, 2, '10.99'],
    [500n, 0, '500'],
    [500n, 2, '5'],
    [5120n, 3, '5.12'],
    [-5n, 0, '-5'],
    [-50n, 2, '-0.5'],
    [7n, 3, '0.007'],
    [0n, 4, '0'],
    [9007199254740993n, 2, '90071992547409.93'],
  ])('%s at %i digits is %s', (minor, exponent, text) => {
    expect(minorToDecimal(minor, exponent)).toBe(text)
    expect(decimalToMinor(text, exponent)).toBe(minor)
  })

  test('every amount of every currency survives the conversion to text and back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CURRENCIES),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (code, minor) => {
          const exponent = currencyExponent(code) as number
          const text = minorToDecimal(minor, exponent)
          expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
          expect(decimalToMinor(text, exponent)).toBe(minor)
        },
      ),
    )
  })

  test('zeros after the last minor digit are not a fraction', () => {
    expect(decimalToMinor('10.9900', 2)).toBe(1099n)
    expect(decimalToMinor('5.000', 0)).toBe(5n)
  })

  test.each([
    ['10.999', 2],
    ['0.5', 0],
  ])('%s with %i digits is refused as a fraction of a minor unit', (text, exponent) => {
    expect(() => decimalToMinor(text, exponent)).toThrow(/decimal places/)
  })

  test.each(['', '1e3', '.5', '5.', '1,000', ' 1', '+1', 'NaN', '--1'])(
    '%j is refused because it is not a plain decimal',
    (text) => {
      expect(() => decimalToMinor(text, 2)).toThrow(/plain decimal/)
    },
  )

  test.each([-1, 5, 1.5, Number.NaN])('an exponent of %s is refused', (exponent) => {
    expect(() => decimalToMinor('1', exponent)).toThrow(RangeError)
    expect(() => minorToDecimal(1n, exponent)).toThrow(RangeError)
  })
})

describe('comparing an amount with a bound', () => {
  test.each([
    [1000n, 2, 10, 0],
    [999n, 2, 10, -1],
    [1001n, 2, 10, 1],
    [1099n, 2, 10.995, -1],
    [10n, 2, 0.1, 0],
    [1n, 0, 1e-7, 1],
    [1n, 0, 1e21, -1],
    [9007199254740993n, 0, 9007199254740992, 1],
  ])('%s at %i digits against %d', (minor, exponent, bound, expected) => {
    expect(compareAmount(minor, exponent, bound)).toBe(expected)
  })

  test('agrees with whole-number comparison', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 4 }), (amount, bound, exponent) => {
        const minor = BigInt(amount) * 10n ** BigInt(exponent)
        expect(compareAmount(minor, exponent, bound)).toBe(Math.sign(amount - bound) + 0)
      }),
    )
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a bound of %d is refused', (bound) => {
    expect(() => compareAmount(1n, 2, bound)).toThrow(RangeError)
  })
})
