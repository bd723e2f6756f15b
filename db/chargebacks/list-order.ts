import { type RawBuilder, sql } from 'kysely'

/** A `-` orders descending. */
export const SORTS = ['-postingDate', 'postingDate', 'dueDate', '-dueDate', 'amount', '-amount'] as const
export type Sort = (typeof SORTS)[number]

/** As in the indexes of migration 0035. A chargeback without a due date counts as due the latest. */
export const DUE_KEY = sql`case when due_date is null then 'infinity' else due_date end`

/** Position in the list: the last row that was returned. */
export interface ListPosition {
  /** The value of the sort as Postgres prints it. */
  key: string
  id: string
}

/** A part of the list that an index has in order. */
export interface Branch {
  where: readonly RawBuilder<unknown>[]
  by: RawBuilder<unknown>
}

export interface Order {
  /** The value that is compared first; the id decides between equal ones. */
  key: RawBuilder<unknown>
  by: RawBuilder<unknown>
  /** The parts whose rows, merged, are the list after that position; `amounts` as in `amountBetween`. */
  branches(after: ListPosition | null, amounts: AmountRange): Branch[]
}

/** A chargeback without a posting date counts as the oldest. */
export function orderOf(sort: Sort): Order {
  const descending = sort.startsWith('-')
  const direction = descending ? sql`desc` : sql`asc`
  const beyond = descending ? sql`<` : sql`>`
  const by = (key: RawBuilder<unknown>) => sql`order by ${key} ${direction}, id ${direction}`
  if (sort === 'amount' || sort === '-amount')
    return {
      key: AMOUNT_KEY,
      by: by(AMOUNT_KEY),
      branches: (after, amounts) =>
        EXPONENTS.map((exponent) => ({
          where: [ofExponent(exponent, amounts), ...(after ? [afterAmount(after, exponent, descending)] : [])],
          by: by(sql`amount_minor`),
        })),
    }
  const key = sort.endsWith('postingDate') ? sql`posting_sort` : DUE_KEY
  return {
    key,
    by: by(key),
    branches: (after, amounts) => [
      {
        where: [
          ...(amounts.min === undefined && amounts.max === undefined ? [] : [amountBetween(amounts)]),
          ...(after ? [sql`(${key}, id) ${beyond} (${after.key}::timestamptz, ${after.id}::uuid)`] : []),
        ],
        by: by(key),
      },
    ],
  }
}

/** Digits after the point that a currency's minor unit can have. */
const EXPONENTS = [0, 1, 2, 3, 4] as const
/** Amounts of different exponents compare in ten-thousandths of the currency's unit. */
const AMOUNT_KEY = sql`amount_minor::numeric * (array[10000, 1000, 100, 10, 1])[amount_exponent + 1]`
const unitOf = (exponent: number) => 10n ** BigInt(4 - exponent)

/** `>` or `<` of a key in ten-thousandths, as a condition on the minor units of one exponent, which an index supports. */
function afterAmount({ key, id }: ListPosition, exponent: number, descending: boolean): RawBuilder<unknown> {
  const unit = unitOf(exponent)
  const minor = floorDiv(BigInt(key), unit)
  if (minor * unit === BigInt(key))
    return descending
      ? sql`(amount_minor, id) < (${minor}::bigint, ${id}::uuid)`
      : sql`(amount_minor, id) > (${minor}::bigint, ${id}::uuid)`
  return descending ? sql`amount_minor <= ${minor}::bigint` : sql`amount_minor > ${minor}::bigint`
}

const floorDiv = (a: bigint, b: bigint) => (a < 0n && a % b !== 0n ? a / b - 1n : a / b)

/** Both included, in decimals of the currency's unit with at most four digits after the point. */
export interface AmountRange {
  min?: string | undefined
  max?: string | undefined
}

const amountBetween = (amounts: AmountRange): RawBuilder<unknown> =>
  sql`(${sql.join(
    EXPONENTS.map((exponent) => ofExponent(exponent, amounts)),
    sql` or `,
  )})`

/** The range in minor units of one exponent. */
function ofExponent(exponent: number, { min, max }: AmountRange): RawBuilder<unknown> {
  const unit = unitOf(exponent)
  const from = min === undefined ? sql`` : sql` and amount_minor >= ${-floorDiv(-tenThousandths(min), unit)}::bigint`
  const to = max === undefined ? sql`` : sql` and amount_minor <= ${floorDiv(tenThousandths(max), unit)}::bigint`
  return sql`amount_exponent = ${exponent}${from}${to}`
}

function tenThousandths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(4, '0'))
}
