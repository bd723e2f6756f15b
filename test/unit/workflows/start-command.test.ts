import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { describe, expect, test } from 'vitest'
import { type StartDeps, startCommand } from '../../../workflows/starters/command.ts'

const COMMAND = {
  ...{ commandId: 'mine', kind: 'acceptance', status: 'created', merchantUuid: 'm', integrationId: 'i' },
  ...{ source: 'stripe', chargebackId: 'c', round: 1, deadline: new Date(), dueDate: null },
}

/** The database has one command. Temporal has a completed workflow run of the command `owner` under its workflow id. */
function temporalWith(owner: string) {
  const starts: unknown[] = []
  const rows: object = new Proxy({}, { get: (_, name) => (name === 'execute' ? async () => [COMMAND] : () => rows) })
  let runOwner = owner
  const workflow = {
    getHandle: () => ({ describe: async () => ({ memo: { commandId: runOwner } }) }),
    async start(_: string, options: { workflowIdReusePolicy: string; memo: { commandId: string } }) {
      starts.push(options.workflowIdReusePolicy)
      if (options.workflowIdReusePolicy !== 'ALLOW_DUPLICATE')
        throw new WorkflowExecutionAlreadyStartedError('already', 'accept:c', 'acceptChargeback')
      runOwner = options.memo.commandId
    },
  }
  const deps = { db: rows, temporal: { workflow }, polling: { pace: {} } } as unknown as StartDeps
  return { deps, starts, owner: () => runOwner }
}

describe('a command whose workflow id has a completed run', () => {
  test('of the same command: it gets no second run', async () => {
    const { deps, starts } = temporalWith('mine')
    await startCommand(deps, 'mine')
    expect(starts).toEqual(['ALLOW_DUPLICATE_FAILED_ONLY'])
  })

  test('of a command lost with a restored backup: it gets a run, which reads before it writes', async () => {
    const { deps, owner } = temporalWith('before the backup was restored')
    await startCommand(deps, 'mine')
    expect(owner()).toBe('mine')
  })
})
