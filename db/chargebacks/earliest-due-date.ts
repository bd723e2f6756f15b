import { type RawBuilder, sql } from 'kysely'
import { LATEST_READING_HOURS } from '../../domain/deadlines.ts'

/** The earliest that the due date of chargeback `c` can mean: alarms and data windows count back from it. */
export const EARLIEST_DUE_DATE: RawBuilder<Date> = sql`(c.due_date - make_interval(hours => case c.psp ${sql.join(
  Object.entries(LATEST_READING_HOURS).map(([psp, hours]) => sql`when ${sql.lit(psp)} then ${sql.lit(hours)}`),
  sql` `,
)} else 0 end))`

/** Hours that it may lie before the due date at most. */
export const LATEST_READING = Math.max(...Object.values(LATEST_READING_HOURS))
