import { type CommandAtWork, loadCommand } from '../../db/commands/commands.ts'
import type { Database } from '../../db/core/connect.ts'
import { workflowIdOf } from '../../workflows/starters/command.ts'

/** Workflow id of a command. */
export async function runOf(db: Database, commandId: string): Promise<string> {
  return workflowIdOf((await loadCommand(db, commandId)) as CommandAtWork)
}

/** Workflow id of the latest command of a chargeback. */
export async function latestRunOf(db: Database, chargebackId: string): Promise<string> {
  const { command_id } = await db
    .selectFrom('command')
    .select('command_id')
    .where('chargeback_id', '=', chargebackId)
    .orderBy('requested_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return runOf(db, command_id)
}
