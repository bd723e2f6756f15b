import { migrate as migrateDatabase } from '../db/migrate.ts'
import type { Command } from './command.ts'

export const migrate: Command = {
  summary: 'bring the database to this version; safe to repeat and to run at once from several places',
  run: async ({ db, environment }) => ({ applied: await migrateDatabase(db, environment) }),
}
