import { sql } from 'kysely'
import type { Database } from './connect.ts'

/** Number of rows of a PSP in a status. */
export interface Count {
  psp: string
  status: string
  count: number
}

/** A number of a PSP or of a currency. */
export interface Figure {
  of: string
  value: number
}

/** Integrations of all merchants. */
export async function countIntegrations(db: Database): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select source as psp, status, count(*)::float8 as count from integration group by source, status`.execute(db)
  return rows
}

/**
 * Chargebacks of all merchants. Reads the whole table, 0.7 s for 1,000,000 rows on two cores, so callers cache the
 * result. An index would cut that to 0.2 s but slow down every change of a chargeback; a running count would make polls
 * of one PSP wait for each other.
 */
export async function countChargebacks(db: Database): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select psp, status, count(*)::float8 as count from chargeback group by psp, status`.execute(db)
  return rows
}

/** Days before its due date within which a chargeback without a response counts as due soon. */
const DUE_SOON_DAYS = 3

/**
 * Chargebacks of all merchants that Recoup has not responded to and that are due within three days. Reads the index
 * `chargeback_due` from now on, so the cost depends on what is due, not on the size of the table.
 */
export async function countChargebacksDueSoon(db: Database): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    select psp as of, count(*)::float8 as value from chargeback
    where status in ('waiting_for_data', 'building_evidence') and merged_into is null
      and due_date > now() and due_date < now() + make_interval(days => ${DUE_SOON_DAYS}) group by psp`.execute(db)
  return rows
}

/**
 * Amounts of all merchants' chargebacks that the PSP has not decided, in major units. Reads the open chargebacks through
 * the index `chargeback_open`; with many of them that takes a while, so callers cache the result.
 */
export async function amountsAtRisk(db: Database): Promise<Figure[]> {
  const { rows } = await sql<Figure>`
    select currency as of, sum(amount_minor / 10::numeric ^ amount_exponent)::float8 as value from chargeback
    where psp_status in ('needs_response', 'under_review', 'unknown') and merged_into is null group by currency`.execute(
    db,
  )
  return rows
}
