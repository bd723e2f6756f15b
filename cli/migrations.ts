import { migrate as migrateDatabase } from '../db/core/migrate.ts'
import { record } from './acting.ts'
import type { Command } from './command.ts'

export const migrate: Command = {
  summary: 'migrate the database to this version; safe to repeat, and to run several times at once',
  changes: { reason: 'optional' },
  async run(context) {
    const applied = await migrateDatabase(context.db, context.environment, context.appDatabaseUrl)
    // Each migration has its own transaction, and one of them creates the table of the audit trail.
    if (applied.length > 0) await record(context, context.db, { details: { applied } })
    return { applied }
  },
}
