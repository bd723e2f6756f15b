import { cleanText, isCardNumber, printable } from './clean-text.ts'
import { FACT_NAMES, FACTS, type FactName } from './fact-catalogue.ts'
import { isAfterInstant, readDate, type WrittenDate } from './written-dates.ts'
import { readMoney, type WrittenMoney } from './written-money.ts'

/** Who said it: operation 4, operation 1, the PSP's transaction, or the chargeback's own fields. */
export type FactSource = 'client' | 'record' | 'psp' | 'chargeback' | 'derived'

export type FactValue = string | true | WrittenDate | WrittenMoney | readonly string[]

export interface Fact {
  value: FactValue
  source: FactSource
  /** Name of the data point or field; of a derived fact its own. */
  name: string
  /** When the source was last stored, ISO 8601. */
  at: string | null
}
export type Facts = Partial<Record<FactName, Fact>>

export interface Warning {
  code: 'unreadable' | 'future' | 'too_old' | 'card_number' | 'contradiction' | 'adverse' | 'unknown_reason'
  facts: FactName[]
  /** For the merchant: names, never values. */
  message: string
}

/** Data of one source. */
export interface PointSource {
  source: Exclude<FactSource, 'derived'>
  points: Readonly<Record<string, unknown>>
  at: string | null
}

export interface Gathered {
  facts: Facts
  warnings: Warning[]
  /** Facts that were given and must not be used. */
  excluded: FactName[]
}

/** Disputes are about payments of this century. */
const EARLIEST = '2000-01-01'

/**
 * Facts from all sources. The first source that has a fact decides, and an unreadable value removes the fact: another
 * source's value would contradict what was said.
 * @param sources in order of precedence
 */
export function gatherFacts(sources: readonly PointSource[], now: Date): Gathered {
  const gathered: Gathered = { facts: {}, warnings: [], excluded: [] }
  const currency = currencyOf(sources)
  const pspFirst = [...sources].sort((a, b) => Number(b.source === 'psp') - Number(a.source === 'psp'))
  for (const fact of FACT_NAMES) {
    const { names = [], pspFirst: proven } = FACTS[fact]
    const found = firstOf(proven ? pspFirst : sources, fact, names)
    if (!found) continue
    const read = readValue(fact, found.value, currency, now)
    if ('value' in read) gathered.facts[fact] = { ...found, value: read.value }
    else if ('code' in read) {
      gathered.excluded.push(fact)
      // The merchant can't mend the chargeback's own fields.
      if (found.source === 'chargeback') continue
      gathered.warnings.push({ code: read.code, facts: [fact], message: `${found.name} ${read.why}` })
    }
  }
  return gathered
}

/** The source counts before the name: the client's second-best name beats the PSP's best. */
function firstOf(sources: readonly PointSource[], fact: FactName, names: readonly string[]) {
  for (const { source, points, at } of sources) {
    const known = fact === 'shipTo' ? { ...points, ...addressOf(points) } : points
    for (const name of names) if (!isEmpty(known[name])) return { value: known[name], source, name, at }
  }
  return null
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === false || (typeof value === 'string' && value.trim() === '')

/** The address as one text, if the source has its parts. */
function addressOf(points: Readonly<Record<string, unknown>>): Record<string, string> {
  if (!isEmpty(points.transactionShippingToFullShippingAddress)) return {}
  const parts = ['AddressLine1', 'AddressLine2', 'State', 'ZipCode'].map(
    (part) => points[`transactionShippingTo${part}`],
  )
  const [line, , , zip] = parts
  const whole = parts.filter((part) => typeof part === 'string' && part.trim() !== '').join(', ')
  // Without street and postal code it is no address that a parcel reaches.
  return isEmpty(line) || isEmpty(zip) ? {} : { transactionShippingToFullShippingAddress: whole }
}

function currencyOf(sources: readonly PointSource[]): string | null {
  const currency = sources.find(({ source }) => source === 'chargeback')?.points.currency
  return typeof currency === 'string' ? currency : null
}

type Read = { value: FactValue } | { code: Warning['code']; why: string } | Record<string, never>

function readValue(fact: FactName, value: unknown, currency: string | null, now: Date): Read {
  const { kind, future } = FACTS[fact] as { kind: string; future?: true }
  if (kind === 'date') return readDay(value, now, future === true)
  if (kind === 'money') {
    const money = readMoney(value, currency)
    if (!money) return { code: 'unreadable', why: 'is no amount: send it as "12.00 USD".' }
    return money.minor > 0n ? { value: money } : {}
  }
  if (kind === 'flag')
    return value === true || value === 1 || /^(true|yes)$/i.test(String(value)) ? { value: true } : {}
  const text = textOf(value)
  if (text === null) return { code: 'unreadable', why: 'is no text: send it as one text.' }
  if (kind === 'id' && isCardNumber(text))
    return { code: 'card_number', why: 'looks like a card number: never send one.' }
  // Identifiers keep their digits: a tracking number may pass the check of card numbers.
  const clean = (kind === 'id' ? printable(text) : cleanText(text)).trim()
  return clean === '' ? {} : { value: clean }
}

function readDay(value: unknown, now: Date, future: boolean): Read {
  const date = readDate(value)
  if (!date) return { code: 'unreadable', why: 'is no date: send it as 2026-03-06 or 2026-03-06T11:42:00+01:00.' }
  if (date.day < EARLIEST) return { code: 'too_old', why: 'is before 2000.' }
  if (!future && isAfterInstant(date, now)) return { code: 'future', why: 'is in the future.' }
  return { value: date }
}

/** Lines of a list are joined. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const lines = Array.isArray(value) ? value : []
  return lines.length > 0 && lines.every((line) => typeof line === 'string') ? lines.join('\n') : null
}
