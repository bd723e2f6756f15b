import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { DB } from '../schema.ts'

/** ms to wait for the lock of one table, and number of tries. */
const LOCK_TIMEOUT_MS = 500
const LOCK_TRIES = 60
const LOCK_NOT_AVAILABLE = '55P03'

/** Tables with a policy, and whether it is enforced there. */
export async function rowSecurity(db: Kysely<DB>): Promise<{ table: string; enabled: boolean }[]> {
  const { rows } = await sql<{ table: string; enabled: boolean }>`
    select c.relname as "table", c.relrowsecurity and c.relforcerowsecurity as enabled from pg_class c
    where c.relnamespace = 'public'::regnamespace and exists (select from pg_policy p where p.polrelid = c.oid)
    order by 1`.execute(db)
  return rows
}

/**
 * Enables or disables the enforcement of the policies, one table at a time.
 * @returns the tables that this call changed
 * @throws when a table is locked for half a minute; a further call continues
 */
export async function setRowSecurity(db: Kysely<DB>, enabled: boolean): Promise<string[]> {
  const changed = (await rowSecurity(db)).filter((one) => one.enabled !== enabled).map(({ table }) => table)
  for (const table of changed) await alterTable(db, table, enabled)
  return changed
}

async function alterTable(db: Kysely<DB>, table: string, enabled: boolean): Promise<void> {
  const change = enabled
    ? sql`enable row level security, force row level security`
    : sql`disable row level security, no force row level security`
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(trx)
        await sql`alter table ${sql.table(table)} ${change}`.execute(trx)
      })
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error
      await sleep(Math.random() * 200)
    }
  }
}

/** Warns when only the filters in the code separate tenants. */
export async function reportRowSecurity(
  db: Kysely<DB>,
  log: { warn(fields: object, message: string): void },
): Promise<void> {
  if ((await rowSecurity(db)).some(({ enabled }) => !enabled))
    log.warn({ reason: 'run `recoup database row-security --set on` as the owner' }, 'row-level security is off')
}
