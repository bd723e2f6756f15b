import { sql } from 'kysely'

/**
 * The value of `first_loaded_at` after a whole poll of integration `i`: the time of its first one. Integrations that were
 * polled before the column existed have had theirs.
 */
export const FIRST_LOADED_AT = sql<Date>`coalesce(i.first_loaded_at, i.last_successful_poll_at, now())`

/**
 * End of a statement: the events of the integrations in the CTE `updated` whose first load is complete by this statement.
 */
export const EVENTS_OF_FIRST_LOADS = sql`
  insert into event_line (merchant_uuid, type, subject)
  select merchant_uuid, 'integration.first_load_completed', integration_id from updated where first_loaded_at = now()`
