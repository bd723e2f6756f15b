import { printable } from '../clean-text.ts'
import type { PointSource } from '../gather-facts.ts'
import { readMoney, type WrittenMoney, writeMoney } from '../written-money.ts'

/** A line of the order, as the data point `orderItems` has it. */
interface OrderItem {
  name: string
  quantity: string
  /** Of the whole line; null when it is not known. */
  amount: WrittenMoney | null
}

/** Lines that are printed. */
const SHOWN = 25

export interface OrderLines {
  rows: [name: string, quantity: string, amount: string][]
  /** What is not printed; null when all is. */
  rest: string | null
}

/**
 * The order's lines with the largest amounts first, from the first source that has `orderItems`: a list of
 * `{name, quantity, amount}`. Null when there is none that can be read.
 */
export function orderLines(sources: readonly PointSource[], currency: string | null): OrderLines | null {
  const given = sources.map(({ points }) => points.orderItems).find(Array.isArray) as unknown[] | undefined
  const items = (given ?? []).flatMap((one) => readItem(one, currency) ?? [])
  if (items.length === 0) return null
  const ordered = items.sort((a, b) => compare(b.amount?.minor ?? 0n, a.amount?.minor ?? 0n))
  return {
    rows: ordered
      .slice(0, SHOWN)
      .map(({ name, quantity, amount }) => [name, quantity, amount ? writeMoney(amount) : '']),
    rest: restOf(ordered.slice(SHOWN)),
  }
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

function readItem(value: unknown, currency: string | null): OrderItem | null {
  if (typeof value !== 'object' || value === null) return null
  const { name, quantity, amount } = value as { name?: unknown; quantity?: unknown; amount?: unknown }
  if (typeof name !== 'string' || printable(name).trim() === '') return null
  const counted = typeof quantity === 'number' || typeof quantity === 'string' ? String(quantity) : ''
  return {
    name: printable(name),
    quantity: /^\d{1,9}(\.\d{1,4})?$/.test(counted) ? counted : '',
    amount: readMoney(amount, currency),
  }
}

/** The sum is said only if every line has an amount, in one currency. */
function restOf(items: readonly OrderItem[]): string | null {
  if (items.length === 0) return null
  const lines = `and ${items.length} more line${items.length === 1 ? '' : 's'}`
  const amounts = items.flatMap(({ amount }) => amount ?? [])
  const [first] = amounts
  if (!first || amounts.length < items.length || amounts.some(({ currency }) => currency !== first.currency))
    return `${lines}.`
  return `${lines}, ${writeMoney({ ...first, minor: amounts.reduce((sum, { minor }) => sum + minor, 0n) })} together.`
}
