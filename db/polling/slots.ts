import { type RawBuilder, sql } from 'kysely'

/** How often integrations are polled. */
export interface Rhythm {
  /** ms between two polls of one integration. */
  everyMs: number
}

/** Where in each interval an integration is polled, ms: the same by a schedule as by a shard. */
export const offsetOf = (integrationId: string, everyMs: number): number =>
  Number.parseInt(integrationId.slice(-8), 16) % everyMs

/** A poll comes at most this much later than its slot, so that not all come at once after an outage, ms. */
export const jitterOf = (everyMs: number): number => Math.min(10_000, Math.floor(everyMs / 10))

/** Start of the current slot of `integration i`, as milliseconds; `offsetOf` in SQL. */
function slotMs(everyMs: number): RawBuilder<string> {
  const offset = sql`(('x' || right(i.integration_id::text, 8))::bit(32)::bigint % ${everyMs}::bigint)`
  const now = sql`floor(extract(epoch from now()) * 1000)::bigint`
  return sql`(${now} - (${now} - ${offset}) % ${everyMs}::bigint)`
}

const time = (ms: RawBuilder<string>) => sql<Date>`to_timestamp(${ms} / 1000.0)`

/** Start of the current slot of `integration i`. */
export const currentSlot = ({ everyMs }: Rhythm) => time(slotMs(everyMs))

/** Start of its next slot, with jitter. */
export const nextSlot = ({ everyMs }: Rhythm) =>
  time(sql`(${slotMs(everyMs)} + ${everyMs}::bigint + random() * ${jitterOf(everyMs)}::float8)`)
