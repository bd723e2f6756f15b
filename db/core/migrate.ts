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

/** ms that a migration waits for a lock: every statement on the table queues behind a waiting migration. */
const LOCK_TIMEOUT_MS = 500
const LOCK_TRIES = 60
const LONGEST_PAUSE_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'
/** Advisory lock that serialises migrations; any number not used elsewhere. */
const MIGRATION_LOCK = 5_263_917

const steps = Object.entries(migrations)
const FIRST = '0001-initial'
const provider = { getMigrations: async () => Object.fromEntries(steps.map(([name, step]) => [name, bounded(step)])) }
/** For tests that stop before one migration. */
export const migrator = (db: Kysely<DB>, disableTransactions = false) =>
  new Migrator({ db, provider, disableTransactions })

/**
 * Adds a lock timeout, so that a migration that has to wait is retried instead. `create index concurrently` blocks no
 * one.
 */
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
 * Migrates the database to this version and stamps it with the environment. Each migration commits on its own; one that
 * can't get its locks is retried for about a minute. Concurrent calls take turns.
 * @param appUrl the address of api and worker; its role is created and may read and write rows only
 * @returns names of the migrations that this call applied
 * @throws the error of the first failed migration; earlier ones stay applied. OtherEnvironment, RoleFault
 */
export async function migrate(db: ConnectedDatabase, environment: Environment, appUrl?: string): Promise<string[]> {
  const stamped = await refuseOtherEnvironment(db.pool, environment)
  // Nothing to do: a role without the right to alter tables may call this too.
  if (stamped && !appUrl && (await pendingMigrations(db)).length === 0) return []
  let isNew = false
  const applied = await db.connection().execute(async (connection) => {
    await waitForMigrationLock(connection)
    try {
      const names: string[] = []
      for (let name = await applyNext(connection); name; name = await applyNext(connection)) names.push(name)
      // A new database has no older processes that set no scope.
      isNew = names.includes(FIRST)
      if (isNew) await setRowSecurity(connection, true)
      if (appUrl) await connection.transaction().execute((trx) => grantAppRole(trx, appUrl))
      return names
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK})`.execute(connection)
    }
  })
  if (!stamped) await claimEnvironment(db, environment, { compresses: isNew })
  return applied
}

/** Polls instead of waiting: a waiting session holds a snapshot, which `create index concurrently` waits for. */
async function waitForMigrationLock(db: Kysely<DB>): Promise<void> {
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
