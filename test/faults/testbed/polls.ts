import { sql } from 'kysely'
import { byOwner } from '../../harness/database.ts'
import { hasPoller } from '../../harness/pollers.ts'
import { until } from '../../harness/until.ts'
import { hurryOutbox } from '../crash.ts'
import type { Left } from '../invariants/leftovers.ts'
import type { Connected } from './connected.ts'
import { tellAgain } from './inbox.ts'
import type { Testbed } from './prepare.ts'

const END_MS = 90_000

/**
 * Makes the database refuse some rows, as it refuses values that no validation foresaw. Skips enrichment, which would
 * send thousands of requests and is tested by other suites.
 */
export async function spareEnrichment({ stack }: Testbed): Promise<void> {
  await byOwner(
    stack.databaseUrl,
    sql`
    create table refused (reference text primary key);
    grant all on refused to public;
    create function refuse() returns trigger language plpgsql as $$ begin
      if exists (select from refused where reference = new.chargeback_id) then
        raise numeric_value_out_of_range;
      end if;
      new.context_at := now();
      return new;
    end $$;
    create trigger refuse before insert on chargeback for each row execute function refuse()`,
  )
}

export async function refuse({ stack }: Testbed, references: ReadonlySet<string>): Promise<void> {
  if (references.size === 0) return
  await sql`insert into refused select unnest(${[...references]}::text[])`.execute(stack.db)
}

export async function refuseNothing({ stack }: Testbed): Promise<void> {
  await sql`delete from refused`.execute(stack.db)
}

/**
 * Waits until each was polled to the end of its list for the first time, by any worker. `wiped`: first waits until
 * their schedules exist again and lets the leases of lost runs expire.
 * @returns those that were not polled to the end
 */
export async function allPolled(
  testbed: Testbed,
  integrationIds: readonly string[],
  { wiped = false, since = new Date(0) } = {},
): Promise<Left[]> {
  const { db } = testbed.stack
  const left: Left[] = []
  if (integrationIds.length === 0) return left
  if (wiped) left.push(...(await schedulesBack(testbed, integrationIds)))
  await hurryOutbox(testbed)
  const waiting = async () => {
    const rows = await db
      .selectFrom('integration')
      .select('integration_id')
      .where('integration_id', 'in', [...integrationIds])
      .where((eb) =>
        eb.or([
          eb('last_successful_poll_at', 'is', null),
          eb('last_successful_poll_at', '<', since),
          eb('lease_owner', 'is not', null),
        ]),
      )
      .execute()
    return rows.map((row) => row.integration_id)
  }
  // Read once: the next interval's poll may have begun already.
  const late = await until('every list is read to its end', waiting, {
    holds: (ids) => ids.length === 0,
    timeoutMs: END_MS,
  }).catch(waiting)
  for (const about of late) left.push({ about, sentence: 'it was never polled to the end of its list' })
  return left
}

async function schedulesBack(testbed: Testbed, integrationIds: readonly string[]): Promise<Left[]> {
  const { db } = testbed.stack
  const missing = new Set(integrationIds)
  await until(
    'the reconciler has created their schedules again',
    async () => {
      for (const id of missing) if (await hasPoller(testbed.stack, id)) missing.delete(id)
      return missing.size === 0
    },
    { timeoutMs: 60_000 },
  ).catch(() => undefined)
  await db
    .updateTable('integration')
    .set({ lease_until: sql`now()` })
    .where('integration_id', 'in', [...integrationIds])
    .execute()
  await askPolls(testbed, integrationIds)
  return [...missing].map((about) => ({
    about,
    sentence: 'Temporal was wiped, and its schedule was not created again',
  }))
}

/** Requests polls, as the next interval would. */
export async function askPolls({ stack }: Testbed, integrationIds: readonly string[]): Promise<void> {
  for (const integrationId of integrationIds)
    await sql`insert into outbox (kind, payload) values
      ('poll_now', jsonb_build_object('integrationId', ${integrationId}::text))`.execute(stack.db)
}

/** The PSP sends notifications about the refused ones again, and they are read. */
export async function readAgain(
  testbed: Testbed,
  polls: readonly { connected: Connected; refused: ReadonlySet<string> }[],
): Promise<void> {
  const since = new Date()
  for (const { connected, refused } of polls) await tellAgain(testbed, connected, refused)
  const ids = polls.map(({ connected }) => connected.integrationId)
  const quarantined = () =>
    testbed.stack.db.selectFrom('quarantine').select('reference').where('integration_id', 'in', ids).execute()
  await until('what was quarantined is stored', quarantined, { holds: (rows) => rows.length === 0 }).catch(
    () => undefined,
  )
  await allPolled(testbed, ids, { since })
}
