import { type Migration, type MigrationProvider, Migrator } from 'kysely'
import type { Environment } from '../domain/integration.ts'
import type { ConnectedDatabase, Database } from './connect.ts'
import { claimEnvironment } from './deployment.ts'
import { refuseOtherEnvironment } from './environment.ts'
import * as initial from './migrations/0001-initial.ts'
import * as notifications from './migrations/0002-notifications.ts'
import * as deactivation from './migrations/0003-deactivation.ts'
import * as scope from './migrations/0004-scope.ts'
import * as transactions from './migrations/0005-transactions.ts'
import * as files from './migrations/0006-files.ts'
import * as alerts from './migrations/0007-alerts.ts'
import * as submissions from './migrations/0008-submissions.ts'
import * as queues from './migrations/0009-queues.ts'
import * as disputeIdentity from './migrations/0010-dispute-identity.ts'
import * as keyRotation from './migrations/0011-key-rotation.ts'
import * as whoPaused from './migrations/0012-who-paused.ts'
import * as furtherAnswers from './migrations/0013-further-answers.ts'
import * as operatorActions from './migrations/0014-operator-actions.ts'
import * as credentialRoles from './migrations/0015-credential-roles.ts'
import * as sealingKeys from './migrations/0016-sealing-keys.ts'

/** In order of their names; applied ones never change. */
const migrations: Record<string, Migration> = {
  '0001-initial': initial,
  '0002-notifications': notifications,
  '0003-deactivation': deactivation,
  '0004-scope': scope,
  '0005-transactions': transactions,
  '0006-files': files,
  '0007-alerts': alerts,
  '0008-submissions': submissions,
  '0009-queues': queues,
  '0010-dispute-identity': disputeIdentity,
  '0011-key-rotation': keyRotation,
  '0012-who-paused': whoPaused,
  '0013-further-answers': furtherAnswers,
  '0014-operator-actions': operatorActions,
  '0015-credential-roles': credentialRoles,
  '0016-sealing-keys': sealingKeys,
}
const provider: MigrationProvider = { getMigrations: async () => migrations }
/** For tests of one migration, which stop before it. */
export const migrator = (db: Database) => new Migrator({ db, provider })

/**
 * Brings the database to this version and marks it as the environment's. Safe to run from several processes at once:
 * Kysely takes an advisory lock.
 * @returns names of the migrations that this call applied
 * @throws the first migration's error; its own transaction is rolled back. OtherEnvironment
 */
export async function migrate(db: ConnectedDatabase, environment: Environment): Promise<string[]> {
  await refuseOtherEnvironment(db.pool, environment)
  const { error, results = [] } = await migrator(db).migrateToLatest()
  if (error) throw error
  await claimEnvironment(db, environment)
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** Names of the migrations that are still to be applied. */
export async function pendingMigrations(db: Database): Promise<string[]> {
  const known = await migrator(db).getMigrations()
  return known.filter((migration) => !migration.executedAt).map((migration) => migration.name)
}
