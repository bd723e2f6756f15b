import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { type CommandAtWork, createCommand, loadCommand } from '../../../db/commands/commands.ts'
import { resolveJob } from '../../../db/commands/jobs.ts'
import {
  APPLIED,
  FOUND,
  markOperation,
  markSending,
  openOperation,
  wasFound,
} from '../../../db/commands/psp-operations.ts'
import type { Database } from '../../../db/core/connect.ts'
import { effectName } from '../../../domain/dispute.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const NO = { status: 'failed', code: 'rejected_final', error: 'No.' } as const

async function place(chargebackId?: string) {
  const id = chargebackId ?? (await addChargeback(stage.db, at))
  const { merchantUuid, credentialId } = stage
  const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
  const requested = { kind: 'acceptance', merchantUuid, chargebackId: id, dispute, round: 1, credentialId } as const
  const command = (await loadCommand(stage.db, await createCommand(stage.db, requested))) as CommandAtWork
  return { command, effect: effectName('accept', dispute, 1) }
}

/** Runs `other` while the claim of a call is not committed yet. */
async function whileClaiming<T>({ command, effect }: Awaited<ReturnType<typeof place>>, other: () => Promise<T>) {
  const operation = await openOperation(stage.db, command.commandId, effect)
  let racing: Promise<PromiseSettledResult<T>[]> | undefined
  const claimed = await stage.db.transaction().execute(async (trx) => {
    const sending = await markSending(trx, operation, command.commandId)
    racing = Promise.allSettled([other()])
    await until('the other waits for it', () => waiting(stage.db), { holds: (count) => count > 0 })
    return sending
  })
  expect(claimed?.state).toBe('submitting')
  return (await racing)?.[0]
}

async function waiting(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows[0]?.count ?? 0
}

describe('a call that is claimed at the same moment', () => {
  test('prevents its command from failing', async () => {
    const job = await place()
    expect(await whileClaiming(job, () => endCommand(stage.db, job.command, NO, 'stripe'))).toMatchObject({
      value: false,
    })
    expect((await loadCommand(stage.db, job.command.commandId))?.status).toBe('created')
  })

  test('prevents an operator from resolving the job', async () => {
    const job = await place()
    await stage.db
      .updateTable('command')
      .set({ needs_attention: true })
      .where('command_id', '=', job.command.commandId)
      .execute()
    const resolution = {
      jobId: job.command.commandId,
      as: 'failed',
      reason: 'Nothing is there.',
      operator: 'alice',
    } as const
    expect(await whileClaiming(job, () => resolveJob(stage.db, resolution))).toMatchObject({
      reason: { code: 'job_at_work' },
    })
  })
})

test('a frozen attempt of a command that failed does not take the ledger row of the next command', async () => {
  const first = await place()
  await openOperation(stage.db, first.command.commandId, first.effect)
  await endCommand(stage.db, first.command, NO, 'stripe')
  const second = await place(first.command.chargebackId)
  const operation = await openOperation(stage.db, second.command.commandId, second.effect)
  await openOperation(stage.db, first.command.commandId, first.effect)
  expect(await markSending(stage.db, operation, second.command.commandId)).toMatchObject({ state: 'submitting' })
})

describe('an attempt that was frozen and reads the effect of another one', () => {
  test.each(['before it is confirmed', 'after it was confirmed'])('%s: it was a call of ours', async (when) => {
    const { command, effect } = await place()
    const frozen = await openOperation(stage.db, command.commandId, effect)
    const other = await openOperation(stage.db, command.commandId, effect)
    const sending = await markSending(stage.db, other, command.commandId)
    if (!sending) throw new Error('it is claimed')
    if (when.startsWith('after')) await markOperation(stage.db, sending, 'confirmed', { outcome: APPLIED })
    await markOperation(stage.db, frozen, 'confirmed', { outcome: FOUND })
    expect(await wasFound(stage.db, command.commandId)).toBe(false)
    expect(await openOperation(stage.db, command.commandId, effect)).toMatchObject({
      state: 'confirmed',
      outcome: APPLIED,
    })
  })

  test('it was found if the other call was refused, or if the other attempt found it', async () => {
    for (const end of [
      { state: 'rejected', outcome: 'overdue' } as const,
      { state: 'confirmed', outcome: FOUND } as const,
    ]) {
      const { command, effect } = await place()
      const frozen = await openOperation(stage.db, command.commandId, effect)
      const sending = await markSending(stage.db, frozen, command.commandId)
      if (!sending) throw new Error('it is claimed')
      await markOperation(stage.db, sending, end.state, end)
      await markOperation(stage.db, frozen, 'confirmed', { outcome: FOUND })
      expect(await wasFound(stage.db, command.commandId)).toBe(true)
    }
  })
})
