import { type RawBuilder, sql } from 'kysely'
import { LATEST_READING_HOURS } from '../../domain/deadlines.ts'

/**
 * The earliest instant that the due date of chargeback `c` can mean. Deadline alarms and data windows count back from
 * it.
 */
export const EARLIEST_DUE_DATE: RawBuilder<Date> = sql`(c.due_date - make_interval(hours => case c.psp ${sql.join(
  Object.entries(LATEST_READING_HOURS).map(([psp, hours]) => sql`when ${sql.lit(psp)} then ${sql.lit(hours)}`),
  sql` `,
)} else 0 end))`

/** The largest number of hours by which it can precede the due date. */
export const LATEST_READING = Math.max(...Object.values(LATEST_READING_HOURS))
