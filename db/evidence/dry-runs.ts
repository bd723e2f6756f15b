import { sql } from 'kysely'

/** Dry runs since this time count. The sweep of retention deletes the others. */
export const DRY_RUNS_SINCE = sql<Date>`now() - interval '24 hours'`
