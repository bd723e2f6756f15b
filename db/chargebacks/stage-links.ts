import { sql } from 'kysely'
import { LADDER } from '../../domain/psp-facts.ts'

/** Position of a stage in the usual order of a case; null for stages outside that order. */
const rank = (column: string) => sql`array_position(${[...LADDER]}::text[], ${sql.ref(column)})`

/**
 * Timeline rows that link the chargebacks just `written` with those of the same transaction in another stage, because
 * some PSPs open a new dispute per stage. Both chargebacks get a row, whichever arrives first. The function looks the
 * stored ones up, with a plan of its own for each call (migration 0036).
 */
export const STAGE_LINKS = sql`
  select merchant_uuid, self, psp,
    case when ${rank('other_stage')} < ${rank('self_stage')}
      then 'follows an earlier chargeback' else 'continued by a later chargeback' end,
    null::jsonb, jsonb_build_object('id', other, 'chargebackId', other_reference, 'lifecycleStage', other_stage)
  from (
    select w.merchant_uuid, w.psp, pair.* from (
      select merchant_uuid, integration_id, array_agg(distinct transaction_id) as transactions
      from written where created and transaction_id is not null group by 1, 2
    ) asked cross join lateral disputes_of_transactions(asked.merchant_uuid, asked.integration_id, asked.transactions) c
    join written w on w.created and w.transaction_id = c.transaction_id and w.id <> c.id
    cross join lateral (values (w.id, w.lifecycle_stage, c.id, c.chargeback_id, c.lifecycle_stage),
      (c.id, c.lifecycle_stage, w.id, w.chargeback_id, w.lifecycle_stage))
      as pair(self, self_stage, other, other_reference, other_stage)
    union all select w.merchant_uuid, w.psp, w.id, w.lifecycle_stage, c.id, c.chargeback_id, c.lifecycle_stage
    from written w join written c on c.transaction_id = w.transaction_id and c.id <> w.id where w.created and c.created
  ) as links where ${rank('self_stage')} <> ${rank('other_stage')}`
