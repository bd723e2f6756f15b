import { isFullAddress, SHIPPING_PARTS } from '../assessment/compelling-evidence.ts'
import { cleanText, isCardNumber, printable } from './clean-text.ts'
import { FACT_NAMES, FACTS, type FactName, type FactSource, type PointSource } from './fact-catalogue.ts'
import { inOrderFor, isEmpty, withoutOthers } from './one-source.ts'
import { type Correspondence, readCorrespondence } from './structures/correspondence.ts'
import { goodsOf, type OrderItems, readOrderItems } from './structures/order-items.ts'
import { type EvidenceTimeline, readTimeline } from './structures/timeline.ts'
import { faultOfDate, NO_DATE, readDate, type WrittenDate } from './written-dates.ts'
import { readMoney, type WrittenMoney } from './written-money.ts'

/** Lists that a client sends, as rows of a table. */
export type TableValue = OrderItems | Correspondence | EvidenceTimeline

export type FactValue = string | true | WrittenDate | WrittenMoney | readonly string[] | TableValue

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

export interface Gathered {
  facts: Facts
  warnings: Warning[]
  /** Facts that were given and must not be used. */
  excluded: FactName[]
}

/**
 * Facts from all sources. The first source that has a fact decides, and an unreadable value removes the fact: another
 * source's value would contradict what was said.
 * @param sources in order of precedence
 */
export function gatherFacts(sources: readonly PointSource[], now: Date): Gathered {
  const gathered: Gathered = { facts: {}, warnings: [], excluded: [] }
  const currency = currencyOf(sources)
  const consistent = withoutOthers(sources)
  for (const fact of FACT_NAMES) {
    const found = firstOf(inOrderFor(fact, consistent), fact, FACTS[fact].names ?? [])
    if (!found) continue
    const { value, fault, entryFaults = [] } = readValue(fact, found, currency, now)
    if (value !== undefined) gathered.facts[fact] = { ...found, value }
    else if (fault || entryFaults.length > 0) gathered.excluded.push(fact)
    // The merchant can't mend the chargeback's own fields.
    if (fault && found.source !== 'chargeback')
      gathered.warnings.push({ code: fault.code, facts: [fact], message: `${found.name} ${fault.why}` })
    for (const message of entryFaults) gathered.warnings.push({ code: 'unreadable', facts: [fact], message })
  }
  const goods = goodsByItems(gathered)
  return goods ? { ...gathered, facts: { ...gathered.facts, goods } } : gathered
}

/** Order lines describe the goods if the client sent no description. The PSP's is often no more than an order number. */
function goodsByItems({ facts: { orderItems, goods }, excluded }: Gathered): Fact | null {
  const described = excluded.includes('goods') || (goods !== undefined && goods.source !== 'psp')
  return orderItems && !described ? { ...orderItems, value: goodsOf(orderItems.value as OrderItems) } : null
}

/** The source counts before the name: the client's second-best name beats the PSP's best. */
function firstOf(sources: readonly PointSource[], fact: FactName, names: readonly string[]) {
  for (const { source, points, at } of sources) {
    const known = fact === 'shipTo' ? { ...points, ...addressOf(points) } : points
    for (const name of names) if (!isEmpty(known[name])) return { value: known[name], source, name, at }
  }
  return null
}

/** Characters of an identifier. No carrier, PSP or shop has longer ones; a page of digits is no number. */
const ID_MAX = 100

/** The address as one text, also from its parts. */
function addressOf(points: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const whole = points.transactionShippingToFullShippingAddress
  if (typeof whole === 'string' ? isFullAddress(whole) : !isEmpty(whole)) return {}
  const parts = SHIPPING_PARTS.map((part) => points[part])
  const [line, , , zip] = parts
  const joined = parts.filter((part) => typeof part === 'string' && part.trim() !== '').join(', ')
  return { transactionShippingToFullShippingAddress: isEmpty(line) || isEmpty(zip) ? null : joined }
}

function currencyOf(sources: readonly PointSource[]): string | null {
  const currency = sources.find(({ source }) => source === 'chargeback')?.points.currency
  return typeof currency === 'string' ? currency : null
}

/** Neither a value nor a fault: nothing was said. */
interface Read {
  value?: FactValue
  fault?: { code: Warning['code']; why: string }
  /** Entries of a list that were left out. */
  entryFaults?: string[]
}

function readValue(
  fact: FactName,
  { name, value }: { name: string; value: unknown },
  currency: string | null,
  now: Date,
): Read {
  const { kind, future } = FACTS[fact]
  if (kind === 'items') return ofTable(readOrderItems(name, value, currency))
  if (kind === 'messages') return ofTable(readCorrespondence(name, value, now))
  if (kind === 'events') return ofTable(readTimeline(name, value, now))
  if (kind === 'date') return readDay(value, now, future === true)
  if (kind === 'money') {
    const money = readMoney(value, currency)
    if (!money) return faultOf('unreadable', 'is no amount: send it as "12.00 USD".')
    return money.minor > 0n ? { value: money } : {}
  }
  if (kind === 'flag')
    return value === true || value === 1 || /^(true|yes)$/i.test(textOf(value) ?? '') ? { value: true } : {}
  const text = textOf(value)
  if (text === null) return faultOf('unreadable', 'is no text: send it as one text.')
  if (kind === 'id') return readId(text)
  const clean = cleanText(text).trim()
  return clean === '' ? {} : { value: clean }
}

/** Identifiers keep their digits: a tracking number may pass the check of card numbers. Of several the too long ones are left out. */
function readId(text: string): Read {
  if (isCardNumber(text)) return faultOf('card_number', 'looks like a card number: never send one.')
  const all = printable(text).trim()
  const parts = all.split(/[\n,;]/).map((one) => one.trim())
  const short = parts.filter(({ length }) => length <= ID_MAX)
  if (short.length === parts.length) return all === '' ? {} : { value: all }
  const left = short.filter((one) => one !== '').join(', ')
  const fault = faultOf('unreadable', `is longer than ${ID_MAX} characters: send the number alone.`)
  return { ...fault, ...(left !== '' && { value: left }) }
}

const faultOf = (code: Warning['code'], why: string): Read => ({ fault: { code, why } })

const ofTable = ({ value, faults }: { value: TableValue | null; faults: string[] }): Read => ({
  ...(value && { value }),
  entryFaults: faults,
})

function readDay(value: unknown, now: Date, future: boolean): Read {
  const date = readDate(value)
  const fault = date ? faultOfDate(date, now, future) : NO_DATE
  return fault ? { fault } : { value: date as WrittenDate }
}

/** Lines of a list are joined. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const lines = Array.isArray(value) ? value : []
  return lines.length > 0 && lines.every((line) => typeof line === 'string') ? lines.join('\n') : null
}
