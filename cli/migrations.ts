import { migrate as migrateDatabase } from '../db/core/migrate.ts'
import { record } from './acting.ts'
import type { Command } from './command.ts'

export const migrate: Command = {
  summary: 'bring the database to this version; safe to repeat and to run at once from several places',
  changes: { reason: 'optional' },
  async run(context) {
    const applied = await migrateDatabase(context.db, context.environment, context.appDatabaseUrl)
    // Each migration has its own transaction, and the trail's table comes with one of them.
    if (applied.length > 0) await record(context, context.db, { details: { applied } })
    return { applied }
  },
}
