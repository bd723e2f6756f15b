import { sql } from 'kysely'
import { minorToDecimal } from '../../domain/money.ts'
import type { Database } from '../core/connect.ts'
import { chargebackNotFound } from './chargebacks.ts'

export interface TimelineRecord {
  when: Date
  source: string
  what: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** Name of the credential that asked for it; absent where none did. */
  by?: string
}

/** All timeline events of a chargeback, oldest first. @throws Refusal chargeback_not_found */
export async function readTimeline(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<TimelineRecord[]> {
  // Left join: a chargeback without events differs from a missing one.
  const { rows } = await sql<Omit<TimelineRecord, 'by'> & Money & { when: Date | null; by: string | null }>`
    select t."when", t.source, t.what, t.before, t.after, k.name as by, c.currency, c.amount_exponent as exponent
    from chargeback c join merchant m on m.merchant_uuid = c.merchant_uuid
    left join timeline_event t on t.chargeback_id = c.id
    left join credential k on k.account_id = m.account_id and k.credential_id::text = t.after ->> 'credentialId'
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId}
    order by t.timeline_event_id`.execute(db)
  if (rows.length === 0) throw chargebackNotFound()
  return rows
    .filter((row) => row.when !== null)
    .map(({ currency, exponent, before, after, by, ...row }) => {
      const shown = (values: TimelineRecord['after']) => values && asRead(values, { currency, exponent })
      return { ...row, ...(by !== null && { by }), before: shown(before), after: shown(after) }
    })
}

export interface Money {
  currency: string
  exponent: number
}

/**
 * Converts values to the form of the chargeback's own fields. Events are never altered: older ones hold the amount in
 * minor units without its currency, and some hold times in Postgres' text format.
 */
export function asRead(values: Record<string, unknown>, { currency, exponent }: Money): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'amountMinor')
        return [
          ['amount', Number(minorToDecimal(BigInt(String(value)), exponent))],
          ['currency', currency],
        ]
      const isTime = typeof value === 'string' && name.endsWith('Date') && !Number.isNaN(Date.parse(value))
      return [[name, isTime ? new Date(value).toISOString() : value]]
    }),
  )
}
