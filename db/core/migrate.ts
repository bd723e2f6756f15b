import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import type { Environment } from '../../domain/integration.ts'
import { migrations, type Step } from '../migrations/index.ts'
import type { DB } from '../schema.ts'
import { grantAppRole } from './app-role.ts'
import type { ConnectedDatabase, Database } from './connect.ts'
import { claimEnvironment } from './deployment.ts'
import { refuseOtherEnvironment } from './environment.ts'
import { setRowSecurity } from './row-security.ts'

/** ms that a migration waits for a lock: everybody who needs the table queues up behind a migration that waits. */
const LOCK_TIMEOUT_MS = 500
const LOCK_TRIES = 60
const LONGEST_PAUSE_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'
/** Of the advisory lock that serialises migrations; any number that nothing else uses. */
const MIGRATION_LOCK = 5_263_917

const steps = Object.entries(migrations)
const FIRST = '0001-initial'
const provider = { getMigrations: async () => Object.fromEntries(steps.map(([name, step]) => [name, bounded(step)])) }
/** For tests of one migration, which stop before it. */
export const migrator = (db: Kysely<DB>, disableTransactions = false) =>
  new Migrator({ db, provider, disableTransactions })

/** A migration that has to wait gives up soon and is tried again. Making an index concurrently blocks no one. */
function bounded(step: Step): Migration {
  if (step.concurrent) return step
  return {
    async up(db) {
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db)
      await step.up(db)
    },
  }
}

/**
 * Brings the database to this version and marks it as the environment's. Each migration commits for itself; one whose
 * locks are taken is tried again for about a minute. Safe to run from several processes at once: they take turns.
 * @param appUrl the address of api and worker; its role is made and may read and write rows, no more
 * @returns names of the migrations that this call applied
 * @throws the first failed migration's error; what was applied before it stays. OtherEnvironment, RoleFault
 */
export async function migrate(db: ConnectedDatabase, environment: Environment, appUrl?: string): Promise<string[]> {
  const stamped = await refuseOtherEnvironment(db.pool, environment)
  // Then even who may not change tables can ask.
  if (stamped && !appUrl && (await pendingMigrations(db)).length === 0) return []
  const applied = await db.connection().execute(async (connection) => {
    await takeTurn(connection)
    try {
      const names: string[] = []
      for (let name = await applyNext(connection); name; name = await applyNext(connection)) names.push(name)
      // Nothing runs on a new database that sets no scope.
      if (names.includes(FIRST)) await setRowSecurity(connection, true)
      if (appUrl) await connection.transaction().execute((trx) => grantAppRole(trx, appUrl))
      return names
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection)
    }
  })
  if (!stamped) await claimEnvironment(db, environment)
  return applied
}

/** Asks instead of waiting: a session that waits holds a snapshot, and an index made concurrently waits for it. */
async function takeTurn(db: Kysely<DB>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ ours: boolean }>`select pg_try_advisory_lock(${MIGRATION_LOCK}) as ours`.execute(db)
    if (rows[0]?.ours) return
    await sleep(200)
  }
}

/** @returns the name of the migration that was applied, null when none is pending */
async function applyNext(db: Kysely<DB>): Promise<string | null> {
  const [next] = await pendingMigrations(db)
  if (!next) return null
  for (let tries = 1; ; tries++) {
    const { error } = await migrator(db, migrations[next]?.concurrent).migrateUp()
    if (!error) return next
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error
    await sleep(Math.min(tries * 100, LONGEST_PAUSE_MS) * (0.5 + Math.random()))
  }
}

/** Names of the migrations that are still to be applied. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const known = await migrator(db).getMigrations()
  return known.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
