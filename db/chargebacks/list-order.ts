import { type RawBuilder, sql } from 'kysely'

/** A `-` orders descending. */
export const SORTS = ['-postingDate', 'postingDate', 'dueDate', '-dueDate', 'amount', '-amount'] as const
export type Sort = (typeof SORTS)[number]

/** As in the indexes of migration 0035. A chargeback without a due date counts as due the latest. */
export const DUE_KEY = sql`coalesce(due_date, 'infinity')`
/** Ten-thousandths of the currency's unit, so that amounts with different exponents compare. */
export const AMOUNT_KEY = sql`(amount_minor::numeric * (array[10000, 1000, 100, 10, 1])[amount_exponent + 1])`

/** Position in the list: the last row that was returned. */
export interface ListPosition {
  /** The value of the sort as Postgres prints it. */
  key: string
  id: string
}

export interface Order {
  /** The value that is compared first; the id decides between equal ones. */
  key: RawBuilder<unknown>
  by: RawBuilder<unknown>
  /** Condition of the rows after that position. */
  after(position: ListPosition): RawBuilder<unknown>
}

/** A chargeback without a posting date counts as the oldest. */
export function orderOf(sort: Sort): Order {
  const descending = sort.startsWith('-')
  const [key, type] = KEYS[(descending ? sort.slice(1) : sort) as keyof typeof KEYS]
  const direction = descending ? sql`desc` : sql`asc`
  return {
    key,
    by: sql`order by ${key} ${direction}, id ${direction}`,
    after: (position) =>
      sql`(${key}, id) ${descending ? sql`<` : sql`>`} (${position.key}::${type}, ${position.id}::uuid)`,
  }
}

const KEYS = {
  postingDate: [sql`posting_sort`, sql`timestamptz`],
  dueDate: [DUE_KEY, sql`timestamptz`],
  amount: [AMOUNT_KEY, sql`numeric`],
} as const
