import { type RawBuilder, sql } from 'kysely'
import { columnList, REREAD, rowsOf, valueList, WRITTEN } from '../chargebacks/column-sql.ts'
import { STAGE_LINKS } from '../chargebacks/stage-links.ts'
import { asArray } from '../core/arrays.ts'
import type { ChargebackColumns, TimelineEntry } from './page.ts'

/**
 * Parts of a statement that stores readings: `written` has the rows that were written, with `created`. A row is written
 * only over the version that the decision is based on, and never with a reading older than the stored one. Rows are locked
 * in the order of their ids, as everywhere, so that writers can't deadlock.
 */
export const writtenRows = (chargebacks: readonly ChargebackColumns[], condition: RawBuilder<unknown>) => sql`
  written as (
    insert into chargeback as c (${columnList(WRITTEN)})
    select ${valueList(WRITTEN)} from ${rowsOf(WRITTEN, chargebacks)}
    where ${condition}
    order by id
    on conflict (integration_id, chargeback_id) do update set ${REREAD}, updated_at = now()
      where c.version = excluded.version - 1 and c.read_at <= excluded.read_at
    returning c.*, (xmax = 0) as created
  )`

/** The timeline of the rows in `written`, in the order of `timeline`. */
export function toldOfWritten(timeline: readonly TimelineEntry[]) {
  const texts = (of: (entry: TimelineEntry) => string | null) => asArray(timeline.map(of))
  const json = (value: TimelineEntry['before']) => value && JSON.stringify(value)
  return sql`
    told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
      select merchant_uuid, id, source, what, before, after from (
        select written.merchant_uuid, written.id, t.source, t.what, t.before::jsonb, t.after::jsonb
        from unnest(${texts((one) => one.chargeback_id)}::uuid[], ${texts((one) => one.source)}::text[],
          ${texts((one) => one.what)}::text[], ${texts((one) => json(one.before))}::text[],
          ${texts((one) => json(one.after))}::text[])
          with ordinality as t(chargeback_id, source, what, before, after, n)
        join written on written.id = t.chargeback_id order by t.n
      ) as changes
      union all ${STAGE_LINKS}
    )`
}
