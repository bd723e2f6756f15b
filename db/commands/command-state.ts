import { sql } from 'kysely'

/**
 * Join and columns with the state of the commands of chargeback `c`, as the rules read it. Commands belong to a round;
 * an index allows one command per round that has not failed.
 */
export const COMMAND_OF_ROUND = sql`left join command k
  on k.chargeback_id = c.id and k.round = c.round and k.status <> 'failed'`

export const COMMAND_STATE = sql`coalesce(k.kind = 'acceptance' and k.status = 'succeeded', false) as accepted,
  coalesce(k.kind = 'evidence_submission' and k.status = 'succeeded', false) as submitted,
  case when k.status in ('created', 'inProgress') then k.kind end as "atWork"`
