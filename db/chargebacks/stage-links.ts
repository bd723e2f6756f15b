import { sql } from 'kysely'
import { LADDER } from '../../domain/psp-facts.ts'

/** Position of a stage in the usual order of a case; null for stages outside that order. */
const rank = (column: string) => sql`array_position(${[...LADDER]}::text[], ${sql.ref(column)})`

const pair = sql`w.merchant_uuid, w.psp, w.id as self, w.lifecycle_stage as self_stage,
  c.id as other, c.chargeback_id as other_reference, c.lifecycle_stage as other_stage`
const reversed = sql`w.merchant_uuid, w.psp, c.id, c.lifecycle_stage, w.id, w.chargeback_id, w.lifecycle_stage`
const SAME = sql`c.transaction_id = w.transaction_id and c.id <> w.id`

/**
 * Timeline rows that link the chargebacks just `written` with those of the same transaction in another stage, because
 * some PSPs open a new dispute per stage. Both chargebacks get a row, whichever arrives first.
 */
export const STAGE_LINKS = sql`
  select merchant_uuid, self, psp,
    case when ${rank('other_stage')} < ${rank('self_stage')}
      then 'follows an earlier chargeback' else 'continued by a later chargeback' end,
    null::jsonb, jsonb_build_object('id', other, 'chargebackId', other_reference, 'lifecycleStage', other_stage)
  from (
    select ${pair} from written w join chargeback c
      on c.merchant_uuid = w.merchant_uuid and c.integration_id = w.integration_id and ${SAME} where w.created
    union all select ${reversed} from written w join chargeback c
      on c.merchant_uuid = w.merchant_uuid and c.integration_id = w.integration_id and ${SAME} where w.created
    union all select ${pair} from written w join written c on ${SAME} where w.created and c.created
  ) as links where ${rank('self_stage')} <> ${rank('other_stage')}`
