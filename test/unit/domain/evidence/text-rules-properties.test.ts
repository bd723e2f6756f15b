import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText, excerpt, printable } from '../../../../domain/evidence/clean-text.ts'
import { MONTHS, readDate, type WrittenDate, writeIso, writeTime } from '../../../../domain/evidence/written-dates.ts'
import { readMoney, type WrittenMoney, writeMoney } from '../../../../domain/evidence/written-money.ts'

const two = (number: number) => String(number).padStart(2, '0')
const RUNS = { numRuns: 500 }

describe('any date', () => {
  const day = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
  const time = fc.tuple(fc.nat(23), fc.nat(59)).map(([hours, minutes]) => `${two(hours)}:${two(minutes)}`)
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })
  const zoneOf = (minutes: number) =>
    `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`

  test('is written with the name of its month, in the client’s own zone, and read again as the same', () => {
    const check = fc.property(day, time, offset, fc.boolean(), (given, at, minutes, zulu) => {
      const text = `${given}T${at}${zulu ? 'Z' : zoneOf(minutes)}`
      const date = readDate(text) as WrittenDate
      const [year, month, dayOfMonth] = given.split('-').map(Number)
      const said = writeTime(date)
      expect(said.startsWith(`${dayOfMonth} ${MONTHS[Number(month) - 1]} ${year}, ${at} `)).toBe(true)
      expect(said).toMatch(zulu || minutes === 0 ? / UTC$/ : / \(UTC[+-]\d{1,2}(:\d\d)?\)$/)
      expect(date.instant).toBe(Date.parse(text))
      expect(readDate(writeIso(date))).toEqual(date)
    })
    fc.assert(check, RUNS)
  })

  test('without a time or a zone stays a day', () => {
    const check = fc.property(day, time, fc.constantFrom('', ' ', 'T'), (given, at, between) => {
      const date = readDate(between === '' ? given : `${given}${between}${at}`) as WrittenDate
      expect([writeTime(date), date.instant]).toEqual([expect.stringMatching(/^\d{1,2} [A-Z]\w+ \d{4}$/), null])
    })
    fc.assert(check, RUNS)
  })

  test('that is no date is none, and nothing throws', () => {
    const check = fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary' })), (given) => {
      const date = readDate(given)
      if (date) expect(String(given).trim().startsWith(date.day)).toBe(true)
    })
    fc.assert(check, RUNS)
  })
})

describe('any amount', () => {
  const currency = fc.constantFrom(['USD', 2], ['JPY', 0], ['KWD', 3], ['EUR', 2]) as fc.Arbitrary<[string, number]>

  test('has all digits of its minor unit, thousands by commas and no symbol, and is the amount that was given', () => {
    const check = fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n }), currency, (minor, [code, exponent]) => {
      const digits = minor.toString().padStart(exponent + 1, '0')
      const decimal = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
      for (const given of [`${decimal} ${code}`, { amount: decimal, currency: code.toLowerCase() }]) {
        const money = readMoney(given, 'XXX') as WrittenMoney
        expect(money).toEqual({ minor, currency: code, exponent })
        const said = writeMoney(money)
        expect(said).toMatch(/^\d{1,3}(,\d{3})*(\.\d+)? [A-Z]{3}$/)
        expect(said.replaceAll(',', '')).toBe(`${decimal} ${code}`)
      }
    })
    fc.assert(check, RUNS)
  })

  test('that is no amount is none, and nothing throws', () => {
    const check = fc.property(fc.oneof(fc.anything(), fc.string()), (given) => {
      const money = readMoney(given, 'USD')
      if (money) expect(writeMoney(money)).toMatch(/^\d{1,3}(,\d{3})*(\.\d+)? [A-Z]{3}$/)
    })
    fc.assert(check, RUNS)
  })
})

/** The check digit of Luhn. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((all, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return all + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
/** Card numbers of the large schemes. */
const card = fc.oneof(
  digits(14).map((rest) => withCheckDigit(`4${rest}`)),
  digits(13).map((rest) => withCheckDigit(`52${rest}`)),
  digits(12).map((rest) => withCheckDigit(`37${rest}`)),
  digits(11).map((rest) => withCheckDigit(`6011${rest}`)),
)
const separator = fc.constantFrom('', ' ', '-', '\u00a0', '.')
const inGroups = (number: string, between: string) => number.replaceAll(/(\d{4})(?=\d)/g, `$1${between}`)
/** Words, marks and other numbers, as they stand next to a card number. */
const around = fc.constantFrom('', 'paid by card', 'on 2026-03-06', '12', '12/27', 'order 7', '123', 'שלום', '(', '•')

describe('any text', () => {
  test('loses card numbers but for their last four digits, whatever stands next to them', () => {
    const check = fc.property(card, separator, around, around, (number, between, before, after) => {
      const shown = inGroups(number, between)
      const text = cleanText(`${before} ${shown} ${after}`)
      expect(text).not.toContain(shown)
      expect(text).toContain(number.slice(-4))
      expect(text.replaceAll(/\D/g, '')).not.toContain(number)
    })
    fc.assert(check, RUNS)
  })

  test('keeps numbers with dots that are no card numbers: dates, amounts, network addresses and versions', () => {
    const number = (most: number) => fc.nat(most).map(String)
    const dotted = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join('.'))
    const day = fc.nat(30).map((before) => two(before + 1))
    const three = digits(3)
    const one = fc.oneof(
      dotted(day, day, digits(4)),
      dotted(digits(4), day, day),
      dotted(number(255), number(255), number(255), number(255)),
      dotted(number(120), number(9), number(99_999), number(9_999)),
      dotted(number(999), three, three, three, three, three),
      dotted(number(10 ** 12), digits(2)),
    )
    const check = fc.property(fc.array(one, { maxLength: 6 }), (all) => {
      const text = all.join(', ')
      expect(cleanText(text)).toBe(text)
    })
    fc.assert(check, RUNS)
  })

  test('keeps everything else: names and addresses are quoted unchanged', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => printable(one) === one && !/\d{3}/.test(one)),
      fc.constantFrom('12 Mill Lane', 'LS1 4DY', '日本', 'Łódź', 'נועה', 'O’Brien', '2026-03-06', '129.90 USD'),
    )
    const check = fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const text = words.join(', ')
      expect(cleanText(text)).toBe(text)
    })
    fc.assert(check, RUNS)
  })

  test('has no character that hides or reorders others, and is clean once it was cleaned', () => {
    const odd = fc.constantFrom('\0', '\u202e', '\u2066', '\u2069', '\ud800', '\udc00', '\r', '\x07', '\x85', '4242')
    const check = fc.property(fc.array(fc.oneof(odd, fc.string({ unit: 'binary' })), { maxLength: 20 }), (parts) => {
      const text = cleanText(parts.join(''))
      expect(text).not.toMatch(/(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
      expect(text.isWellFormed()).toBe(true)
      expect(cleanText(text)).toBe(text)
    })
    fc.assert(check, RUNS)
  })

  test('is quoted in one line of at most 600 characters: its first ones, and […] where the rest is left out', () => {
    const unit = fc.constantFrom('word ', 'x', '日本', '😀', '\n', '\u3000', 'شحنة ', '12.00 USD ')
    const check = fc.property(fc.array(unit, { maxLength: 30 }), fc.integer({ min: 1, max: 200 }), (units, times) => {
      const given = units.join('').repeat(times)
      const line = given.replaceAll(/\s+/gu, ' ').trim()
      const said = excerpt(given)
      expect(said.length).toBeLessThanOrEqual(600)
      expect(said.isWellFormed()).toBe(true)
      expect(said).toBe(line.length <= 600 ? line : `${said.slice(0, -4)} […]`)
      expect(line.startsWith(said.replace(/ \[…\]$/, ''))).toBe(true)
    })
    fc.assert(check, RUNS)
  })
})
