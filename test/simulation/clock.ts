import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import pg from 'pg'

/**
 * One clock for this process and its database. Only `pass`, `set` and sleeping code move it, so that nothing waits in
 * real time, and two runs of the same lives see the same times.
 */
export interface VirtualClock {
  /** Unix time in ms. */
  now(): number
  /** Moves the clock forward, and updates the database before it returns. */
  pass(ms: number): Promise<void>
  /** Sets the clock, also backwards, between two lives. */
  set(ms: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Postgres searches `pg_catalog` first unless the search path lists another schema before it. So every statement calls
 * these `now()` and `clock_timestamp()`. Column defaults are bound when a table is created, so they are set again.
 */
const INSTALL = `
  create schema virtual_time;
  create table virtual_time.clock (at timestamptz not null);
  grant usage on schema virtual_time to public;
  grant select on virtual_time.clock to public;
  insert into virtual_time.clock values (pg_catalog.now());
  create function virtual_time.now() returns timestamptz language sql stable
    as 'select at from virtual_time.clock';
  create function virtual_time.clock_timestamp() returns timestamptz language sql volatile
    as 'select at from virtual_time.clock';
  do $do$ declare d record; begin
    for d in select table_name, column_name from information_schema.columns
      where table_schema = 'public' and column_default ~ '(now|clock_timestamp)\\(\\)'
    loop
      execute format('alter table public.%I alter column %I set default virtual_time.now()', d.table_name, d.column_name);
    end loop;
    execute format('alter database %I set search_path = virtual_time, pg_catalog, public', current_database());
  end $do$`

/** Replaces `Date`, `setTimeout` of node:timers/promises, and the clock of the empty database at `url`. */
export async function takeOverTime(url: string): Promise<VirtualClock> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(INSTALL)

  let now = Date.now()
  const RealDate = Date
  const realSleep = timers.setTimeout
  const tick = async () => {
    await client.query({
      name: 'tick',
      text: 'update virtual_time.clock set at = $1',
      values: [new RealDate(now).toISOString()],
    })
  }
  const clock: VirtualClock = {
    now: () => now,
    async pass(ms) {
      now += Math.max(0, Math.ceil(ms))
      await tick()
    },
    async set(ms) {
      now = ms
      await tick()
    },
    async [Symbol.asyncDispose]() {
      globalThis.Date = RealDate
      timers.setTimeout = realSleep
      syncBuiltinESMExports()
      await client.end()
    },
  }

  // A proxy, so that dates made before and after have the same prototype.
  globalThis.Date = new Proxy(RealDate, {
    construct: (date, given: [], target) => Reflect.construct(date, given.length === 0 ? [now] : given, target),
    get: (date, key) => (key === 'now' ? () => now : Reflect.get(date, key)),
  })
  timers.setTimeout = (async (ms?: number, value?: unknown) => {
    await clock.pass(ms ?? 0)
    return value
  }) as typeof timers.setTimeout
  syncBuiltinESMExports()
  return clock
}
