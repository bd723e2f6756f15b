import { excerpt, isCardNumber, printable } from '../clean-text.ts'
import { readMoney, type WrittenMoney, writeMoney } from '../written-money.ts'
import { lineOf, type ReadList, readList } from './read-list.ts'

export interface OrderLine {
  name: string
  /** As a decimal number. */
  quantity: string | null
  /** Of all pieces of the line. */
  amount: WrittenMoney | null
  sku: string | null
}

/** What was sold: the lines of the largest amounts, and what the others add up to. */
export interface OrderItems {
  lines: readonly OrderLine[]
  /** Null if all lines are there. */
  others: { lines: number; amount: WrittenMoney | null } | null
  /** Null if a line has no amount, or the currencies differ. */
  total: WrittenMoney | null
}

const MOST_LINES = 25
/** Lines that a sentence names. */
const NAMED = 5
const NAME_MAX = 200
const QUANTITY = /^\d{1,9}(\.\d{1,3})?$/

/** Reads `orderItems`: `[{"name": "Shoes", "quantity": 2, "amount": "59.90 USD", "sku": "S-42"}]`. */
export function readOrderItems(name: string, value: unknown, currency: string | null): Read {
  const { entries, faults } = readList<OrderLine>(name, value, (given, fault) => {
    const title = lineOf(given.name, NAME_MAX)
    if (title === null) {
      fault('name', 'is missing.')
      return null
    }
    const { quantity = null, amount = null, sku } = given
    const pieces = quantity === null ? null : (lineOf(quantity) ?? '')
    if (pieces !== null && !QUANTITY.test(pieces)) fault('quantity', 'is no number.')
    const money = amount === null ? null : readMoney(amount, currency)
    if (amount !== null && money === null) fault('amount', 'is no amount: send it as "12.00 USD".')
    const known = pieces !== null && QUANTITY.test(pieces) ? pieces : null
    // An article number keeps its digits: one in ten passes the check of card numbers.
    const article = typeof sku === 'string' || typeof sku === 'number' ? excerpt(printable(String(sku)), NAME_MAX) : ''
    if (isCardNumber(article)) fault('sku', 'looks like a card number: never send one.')
    return { name: title, quantity: known, amount: money, sku: isCardNumber(article) ? null : article || null }
  })
  if (entries.length === 0) return { value: null, faults }
  const sorted = [...entries].sort((a, b) => compare(b.amount, a.amount))
  const others = sorted.slice(MOST_LINES)
  return {
    value: {
      lines: sorted.slice(0, MOST_LINES),
      others: others.length > 0 ? { lines: others.length, amount: sumOf(others) } : null,
      total: sumOf(entries),
    },
    faults,
  }
}

type Read = { value: OrderItems | null; faults: ReadList<OrderLine>['faults'] }

/** The goods in a few words: `2 × running shoes, socks and 20 more`. */
export function goodsOf({ lines, others }: OrderItems): string {
  const named = lines.slice(0, NAMED).map(titleOf)
  const more = lines.length + (others?.lines ?? 0) - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** One text for each row of a table, totals last. */
export function writeOrderItems({ lines, others, total }: OrderItems): string[] {
  const amounts = (money: WrittenMoney | null) => (money ? `: ${writeMoney(money)}` : '')
  return [
    ...lines.map((line) => `${titleOf(line)}${line.sku ? ` (${line.sku})` : ''}${amounts(line.amount)}`),
    ...(others ? [`${others.lines} more lines${amounts(others.amount)}`] : []),
    ...(total && lines.length > 1 ? [`Total${amounts(total)}`] : []),
  ]
}

const titleOf = ({ name, quantity }: OrderLine) => (quantity === null ? name : `${quantity} × ${name}`)

function sumOf(lines: readonly OrderLine[]): WrittenMoney | null {
  const [first] = lines
  if (!first?.amount) return null
  const { currency, exponent } = first.amount
  let minor = 0n
  for (const { amount } of lines) {
    if (amount?.currency !== currency) return null
    minor += amount.minor
  }
  return { minor, currency, exponent }
}

/** Lines without an amount come last. */
function compare(one: WrittenMoney | null, other: WrittenMoney | null): number {
  if (!one || !other) return Number(one !== null) - Number(other !== null)
  const [a, b] = [one.minor * 10n ** BigInt(other.exponent), other.minor * 10n ** BigInt(one.exponent)]
  return a === b ? 0 : a < b ? -1 : 1
}
