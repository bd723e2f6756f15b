import { describe, expect, test } from 'vitest'
import { cleanText, excerpt, isCardNumber } from '../../../../domain/evidence/clean-text.ts'
import { isBefore, readDate, type WrittenDate, writeDay, writeTime } from '../../../../domain/evidence/written-dates.ts'
import { readMoney, writeMoney } from '../../../../domain/evidence/written-money.ts'

const date = (text: string) => readDate(text) as WrittenDate

describe('dates', () => {
  test.each([
    ['2026-03-06', '6 March 2026'],
    ['2026-03-06T11:42:09.5Z', '6 March 2026, 11:42 UTC'],
    ['2026-12-31T23:59:00+03:00', '31 December 2026, 23:59 (UTC+3)'],
    ['2026-03-06T11:42:00-0330', '6 March 2026, 11:42 (UTC-3:30)'],
    // The time zone is unknown, so the time is left out.
    ['2026-03-06 11:42', '6 March 2026'],
  ])('%s: %s', (text, expected) => expect(writeTime(date(text))).toBe(expected))

  test.each(['', '6 March 2026', '03/04/2026', '2026-13-01', '2026-02-29', '2026-03-06T25:00:00Z', 'now'])(
    '%j is not a date',
    (text) => expect(readDate(text)).toBeNull(),
  )

  test('the day alone, in the zone of the text', () =>
    expect(writeDay(date('2026-03-06T23:30:00-08:00'))).toBe('6 March 2026'))

  test('order by instants, else by days as written', () => {
    expect(isBefore(date('2026-03-06T11:00:00+02:00'), date('2026-03-06T10:00:00Z'))).toBe(true)
    expect(isBefore(date('2026-03-06'), date('2026-03-06T10:00:00Z'))).toBe(false)
    expect(isBefore(date('2026-03-05'), date('2026-03-06T10:00:00Z'))).toBe(true)
  })
})

describe('amounts', () => {
  test.each([
    [129.9, 'USD', '129.90 USD'],
    ['1250', 'JPY', '1,250 JPY'],
    ['1234567.5 EUR', null, '1,234,567.50 EUR'],
    [{ amount: '3.125', currency: 'kwd' }, null, '3.125 KWD'],
    [0.5, 'USD', '0.50 USD'],
  ])('%j %s: %s', (value, currency, expected) => {
    const money = readMoney(value, currency)
    expect(money && writeMoney(money)).toBe(expected)
  })

  test.each([[-1], ['1,250'], ['12 usd'], ['$12'], [Number.NaN], [null], [{ amount: {}, currency: 'USD' }], [1e21]])(
    '%j is not an amount',
    (value) => expect(readMoney(value, 'USD')).toBeNull(),
  )

  test('no currency, no amount', () => expect(readMoney('12', null)).toBeNull())
})

describe('texts', () => {
  test('card numbers keep their last four digits, other numbers stay', () => {
    expect(cleanText('card 4242-4242-4242-4242 and 4242 4242 4242 4243')).toBe('card •••• 4242 and 4242 4242 4242 4243')
    expect(cleanText('378282246310005')).toBe('•••• 0005')
    expect(cleanText('CVC: 123, cvv2 1234; the security code is 999.')).toBe(
      'CVC: •••, cvv2 •••; the security code is •••.',
    )
    expect(cleanText('The security code matched. CVC 12345 and order 123')).toBe(
      'The security code matched. CVC 12345 and order 123',
    )
    expect(cleanText('Passport no. C01X00T47, passport number: 123456789')).toBe(
      'Passport no. •••, passport number: •••',
    )
    expect(cleanText('He showed his passport yesterday, passport photos of 2026')).toBe(
      'He showed his passport yesterday, passport photos of 2026',
    )
    expect(cleanText(`ARN ${'7'.repeat(23)}`)).toBe(`ARN ${'7'.repeat(23)}`)
  })

  test('card numbers with dots are cut, too, but no dates, amounts, addresses and versions', () => {
    expect(cleanText('Card 4242.4242.4242.4242.')).toBe('Card •••• 4242.')
    expect(cleanText('3782.822463.10005 and 4242.4242.4242.4243')).toBe('•••• 0005 and 4242.4242.4242.4243')
    expect(cleanText('on 06.03.2026.4242.4242.4242.4242 12.27')).toBe('on 06.03.2026.•••• 4242 12.27')
    // Each has the digits of a card number that passes the check.
    for (const other of [
      '4.242.424.242.424.242 EUR',
      '4242424242424.242',
      '42.42.42.42.42.42.42.42',
      '424.242.424.242 4242',
    ])
      expect(cleanText(other)).toBe(other)
    expect(isCardNumber('4242.4242.4242.4242')).toBe(true)
  })

  test('an identifier that passes the checksum by chance is not a card number', () => {
    expect(isCardNumber('4242424242424242')).toBe(true)
    expect(isCardNumber('9999999999999995')).toBe(false)
  })

  test('control characters, bidirectional overrides and lone surrogates are removed', () => {
    expect(cleanText('a\0b\u202e129\u202c\u2067c\u2069\ud800\x07\r\nd')).toBe('ab129c\nd')
    expect(cleanText('نص עברית 日本 👍🏽')).toBe('نص עברית 日本 👍🏽')
  })

  test('a long text is cut between words and marked as cut', () => {
    const long = excerpt('word '.repeat(40_000))
    expect(long.length).toBeLessThanOrEqual(600)
    expect(long).toMatch(/word \[…]$/)
    expect(excerpt('😀'.repeat(400))).toMatch(/^(😀)+ \[…\]$/u)
    expect(excerpt(' two \n\n words ')).toBe('two words')
  })
})
