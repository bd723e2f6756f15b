import { afterEach, describe, expect, test, vi } from 'vitest'
import { dueGroup, timeLeft, timeLeftInHours } from '../../../console/parts/due.ts'
import { figure, money, sums } from '../../../console/parts/money.ts'
import { SIGNS } from '../../../console/parts/sign.tsx'
import { visible } from '../../../console/parts/visible.ts'
import { clock, dateTime, zoneName } from '../../../console/parts/when.tsx'
import { inputOf, labelOf, nameOf, valueText } from '../../../console/parts/words.ts'
import { CHOICES } from '../../../console/queue/view.ts'
import { PLAY_NAMES } from '../../../console/rules/play-names.ts'
import { LIFECYCLE_STAGES, PSP_STATUSES, REASON_GROUPS, STATUSES } from '../../../domain/chargeback.ts'
import { SERVICE_OWNED, SIGNAL_DATA_POINTS } from '../../../domain/data-points.ts'
import { missingDataPoints } from '../../../domain/enrichment.ts'
import { FACTS } from '../../../domain/evidence/fact-catalogue.ts'
import { OVERLAY_IDS, PLAY_IDS } from '../../../domain/evidence/playbooks/playbook.ts'
import { CURRENCIES, currencyExponent } from '../../../domain/money.ts'
import { FIXED_OPTIONS } from '../../../domain/scope-options.ts'
import { TRANSACTION_FIELDS } from '../../../domain/transaction-record.ts'

/** Kinds of the API's catalogue that have a field of their own; lists have several (`LISTS`). */
const FIELDS: Readonly<Record<string, string>> = { date: 'date', flag: 'yes-no' }

const written = (at: Date, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options).format(at)

test('times are written as Intl does, in the zone of the browser', () => {
  for (let month = 0; month < 12; month++) {
    const at = new Date(Date.UTC(2026, month, 3 + month, month * 2, 5, 7))
    const date = written(at, { day: 'numeric', month: 'short', year: 'numeric' })
    expect(dateTime(at.toISOString())).toBe(`${date}, ${written(at, { hour: '2-digit', minute: '2-digit' })}`)
    expect(clock(at.getTime())).toBe(written(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' }))
  }
})

describe('the zone of a time', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test.each([
    ['2026-10-24T22:30:00Z', '24 Oct 2026, 23:30', 'BST'],
    ['2026-10-25T22:30:00Z', '25 Oct 2026, 22:30', 'GMT'],
    ['2027-07-01T12:00:00Z', '1 Jul 2027, 13:00', 'BST'],
  ])('%s is %s %s in London, whatever the clocks show today', (at, words, zone) => {
    vi.stubEnv('TZ', 'Europe/London')
    expect([dateTime(at), zoneName(at)]).toEqual([words, zone])
    expect(zoneName()).toBe('Europe/London')
  })
})

const NOW = Date.parse('2026-11-24T12:00:00Z')
const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()

describe('time left', () => {
  test.each([
    [-1, 'overdue'],
    [47.9, '47 h'],
    [48, '2 d 0 h'],
    [86.9, '3 d 14 h'],
  ])('of a case, %s hours: %s', (hours, words) => expect(timeLeftInHours(inHours(hours), NOW)).toBe(words))

  test.each([
    [-0.01, 'overdue', 'Overdue'],
    [0, 'overdue', 'Overdue'],
    [0.005, '1 min', 'Within 24 hours'],
    [0.99, '59 min', 'Within 24 hours'],
    [24, '24 h', 'Within 24 hours'],
    [24.1, '24 h', '1–3 days'],
    [47.9, '47 h', '1–3 days'],
    [48, '2 d', '1–3 days'],
    [95.9, '3 d', '1–3 days'],
    [96, '4 d', '4–7 days'],
    [191.9, '7 d', '4–7 days'],
    [192, '8 d', 'Later'],
  ])('%f hours: %s, %s', (hours, words, group) => {
    expect(timeLeft(inHours(hours), NOW)).toBe(words)
    expect(dueGroup(inHours(hours), NOW)).toBe(group)
  })

  test('the server’s time counts, and the zone of the browser does not', () => {
    expect(timeLeft('2026-11-24T15:00:00+03:00', NOW - 3_600_000)).toBe('1 h')
  })
})

describe('money', () => {
  test.each([
    [202.09, 'EUR', 'EUR 202.09'],
    [1911.2, 'EUR', 'EUR 1,911.20'],
    [21_200, 'JPY', 'JPY 21,200'],
    [389.57, 'KWD', 'KWD 389.570'],
    // Intl has no decimals for ISK, a PSP has.
    [110.22, 'ISK', 'ISK 110.22'],
    [0.0001, 'USD', 'USD 0.0001'],
    [5, 'XX', 'XX 5'],
    [undefined, 'EUR', 'EUR –'],
  ])('%f %s is %s', (amount, currency, text) => {
    expect(money(amount, currency).replaceAll('\u00a0', ' ')).toBe(text)
  })

  test('every currency has the digits of the service, and numbers are written as Intl does', () => {
    for (const code of CURRENCIES) {
      const digits = currencyExponent(code) ?? 2
      const format = new Intl.NumberFormat('en-GB', {
        ...{ style: 'currency', currency: code, currencyDisplay: 'code' },
        ...{ minimumFractionDigits: digits, maximumFractionDigits: 4 },
      })
      for (const amount of [0, 5, -1.5, 999.99, 1000, 1234567.891, 0.1 + 0.2])
        expect(money(amount, code)).toBe(format.format(amount).replace(`-${code}\u00a0`, `${code}\u00a0-`))
    }
    for (const count of [0, 999, 1000, 1234567]) expect(figure(count)).toBe(count.toLocaleString('en-GB'))
  })

  test('sums are per currency, exact, and never added over currencies', () => {
    const items = [
      { amount: 0.1, currency: 'USD' },
      { amount: 0.2, currency: 'USD' },
      { amount: 5, currency: 'EUR' },
      { currency: 'EUR' },
    ]
    expect(sums(items).replaceAll('\u00a0', ' ')).toBe('EUR 5.00 · USD 0.30')
  })
})

test('control characters of other people’s text are seen, not obeyed', () => {
  expect(visible('a\u202eb\u2066c\u0000d\u007f')).toBe('a⟨U+202E⟩b⟨U+2066⟩c␀d␡')
  expect(visible('line\nbreak é漢字😀')).toBe('line\nbreak é漢字😀')
})

test('names of data points become labels and fields', () => {
  expect(labelOf('transactionOrderDeviceId')).toBe('Order device id')
  expect(labelOf('signedDelivery')).toBe('Signed delivery')
  expect(labelOf('transactionOrderIpAddress')).toBe('Order IP address')
  expect([inputOf('signedDelivery'), inputOf('shippingDate'), inputOf('shippingCarrier')]).toEqual([
    'yes-no',
    'date',
    'text',
  ])
  expect([valueText(null), valueText(true), valueText(['a', 'b']), valueText({ a: 1 })]).toEqual([
    '',
    'yes',
    'a, b',
    '{"a":1}',
  ])
})

test('each data point that a client can set is asked for as what the API reads it as', () => {
  const isGiven = (name: string) => !SERVICE_OWNED.has(name)
  const read = Object.values(FACTS).flatMap(({ kind, names = [] }) =>
    names.filter(isGiven).map((name) => ({ name, kind: FIELDS[kind] ?? 'text' })),
  )
  const claims = Object.keys(SIGNAL_DATA_POINTS).map((name) => ({ name, kind: 'yes-no' }))
  // What no sentence uses is text: it only counts as known.
  const listed = new Set([...read, ...claims].map(({ name }) => name))
  const rest = [...REASON_GROUPS.flatMap((group) => missingDataPoints(group, [])), ...TRANSACTION_FIELDS]
  const others = rest.filter((name) => isGiven(name) && !listed.has(name)).map((name) => ({ name, kind: 'text' }))
  const all = [...read, ...claims, ...others]
  expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['text', 'date', 'yes-no']))
  expect(all.filter(({ name, kind }) => inputOf(name) !== kind)).toEqual([])
})

describe('words of the API as names', () => {
  const words = [
    ...Object.values(FIXED_OPTIONS).flat(),
    ...['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'],
    ...[PSP_STATUSES, STATUSES, LIFECYCLE_STAGES, REASON_GROUPS].flat(),
  ]

  test.each([
    ['pspStatus', PSP_STATUSES],
    ['status', STATUSES],
    ['lifecycleStage', LIFECYCLE_STAGES],
    ['reasonGroup', REASON_GROUPS],
  ] as const)('the menu of %s has each word of the API', (name, all) => {
    expect([...CHOICES[name].words].sort()).toEqual([...all].sort())
  })

  test.each([...new Set(words)])('%s starts with a capital letter, and is words', (word) => {
    expect(nameOf(word)).toMatch(/^[A-Z][A-Za-z ]*$/)
  })

  test('what is no such word stays as it is, and what reorders text is shown', () => {
    expect(['', 'C08', '<b>', '__proto__', 'constructor_', 'a\u202eb'].map(nameOf)).toEqual([
      ...['', 'C08', '<b>', '__proto__', 'Constructor '],
      visible('a\u202eb'),
    ])
    expect(nameOf(undefined)).toBe('')
  })

  test('each play has a name of its own', () => {
    expect(Object.keys(PLAY_NAMES).sort()).toEqual([...PLAY_IDS, ...OVERLAY_IDS].sort())
    expect(new Set(Object.values(PLAY_NAMES)).size).toBe(PLAY_IDS.length + OVERLAY_IDS.length)
  })
})

test.each([
  ['at the PSP', PSP_STATUSES],
  ['in Recoup', STATUSES],
])('statuses %s are told apart without colours: each has a shape, and another colour is another shape', (_, words) => {
  const tones = new Map<string, string>()
  for (const word of words) {
    const [shape, tone] = SIGNS[word]
    expect(shape, word).not.toBe('')
    expect(tones.get(shape) ?? tone, word).toBe(tone)
    tones.set(shape, tone)
  }
})
