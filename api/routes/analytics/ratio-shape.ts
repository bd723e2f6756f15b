import { z } from '@hono/zod-openapi'
import type { MonthOfTransactions } from '../../../db/analytics/ratio.ts'
import { ApiError } from '../../http/errors.ts'

const share = (of: string) =>
  z
    .number()
    .min(0)
    .optional()
    .openapi({ description: `${of} Absent without transactions.` })

export const ratio = z
  .array(
    z
      .object({
        month: z.string().openapi({ description: 'UTC.', example: '2026-01' }),
        transactions: z.number().int().min(0).openapi({ description: 'Told by operation 1.' }),
        chargebacks: z.number().int().min(0).openapi({ description: 'Posted in that month.' }),
        ratio: share('Chargebacks per transaction of the same month, as Visa counts.'),
        ratioToMonthBefore: share('Chargebacks per transaction of the month before, as Mastercard counts.'),
      })
      .openapi('RatioMonth'),
  )
  .openapi({ description: 'The months, oldest first.' })

/** Months of one request. */
const MOST_MONTHS = 36
const DEFAULT_MONTHS = 12

const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
const monthOf = (n: number) => `${Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`

/**
 * First and last month that a request means: twelve up to now by default. The month before the first is read as well.
 * @throws ApiError 400 for more than 36
 */
export function lastMonths(
  { startMonth, endMonth }: { startMonth?: string | undefined; endMonth?: string | undefined },
  now: Date,
): { first: string; last: string } {
  const last = endMonth
    ? numberOf(endMonth)
    : Math.max(numberOf(now.toISOString().slice(0, 7)), numberOf(startMonth ?? '1900-01'))
  const first = startMonth ? numberOf(startMonth) : last - DEFAULT_MONTHS + 1
  if (last - first >= MOST_MONTHS)
    throw new ApiError(
      400,
      'validation_failed',
      `startMonth: Must be at most ${MOST_MONTHS} months before endMonth, which is the current month by default`,
    )
  return { first: monthOf(first - 1), last: monthOf(last) }
}

const perTransaction = (chargebacks: number, transactions: number | undefined) =>
  transactions ? Math.round((chargebacks / transactions) * 1e6) / 1e6 : undefined

/** The months after the first one, which is only there for the second. */
export function toRatio(rows: readonly MonthOfTransactions[]): z.infer<typeof ratio> {
  return rows.slice(1).map(({ month, transactions, chargebacks }, index) => {
    const same = perTransaction(chargebacks, transactions)
    const before = perTransaction(chargebacks, rows[index]?.transactions)
    return {
      ...{ month: month.slice(0, 7), transactions, chargebacks },
      ...(same !== undefined && { ratio: same }),
      ...(before !== undefined && { ratioToMonthBefore: before }),
    }
  })
}
