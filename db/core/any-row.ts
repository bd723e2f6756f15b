import { type RawBuilder, sql } from 'kysely'

/**
 * Whether there is such a row, looked up in an index. `exists` may read a whole table, also for one integration.
 * @param rows `from … where … order by …`, in the order of the index that it needs: without it Postgres may choose another one
 */
export const anyRow = (rows: RawBuilder<unknown>) => sql<boolean>`coalesce((select true ${rows} limit 1), false)`
