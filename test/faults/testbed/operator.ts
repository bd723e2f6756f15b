import { WorkflowNotFoundError } from '@temporalio/client'
import { resolveJob } from '../../../db/commands/jobs.ts'
import { latestRunOf } from '../../harness/runs.ts'
import { until } from '../../harness/until.ts'
import type { Dispute, Testbed } from './prepare.ts'

/** Longer than a call without a response counts as in progress. */
const RESOLVED_MS = 240_000

/**
 * An operator checks the PSP's dashboard for a command whose outcome the PSP's API does not show, cancels its workflow
 * run in the Temporal UI, and resolves the job as the PSP shows it. Does nothing for a command that ends by itself
 * before its run asks for an operator.
 */
export async function resolveByDashboard(
  testbed: Testbed,
  { adapter, reference, chargebackId }: Dispute,
): Promise<void> {
  const { db, temporal } = testbed.stack
  const command = () =>
    db
      .selectFrom('command')
      .select(['command_id', 'status', 'needs_attention'])
      .where('chargeback_id', '=', chargebackId)
      .executeTakeFirstOrThrow()
  const run = temporal.workflow.getHandle(await latestRunOf(db, chargebackId))
  const hasEnded = ({ status }: { status: string }) => status === 'succeeded' || status === 'failed'
  const asked = async () => {
    const { raw } = await run.describe()
    return (raw.pendingActivities ?? []).some(({ lastFailure }) =>
      /Customer Area|dashboard/.test(lastFailure?.message ?? ''),
    )
  }
  await until(
    'the command ends, or its run sends the operator to the dashboard',
    async () => ({
      ended: hasEnded(await command()),
      asked: await asked(),
    }),
    { holds: ({ ended, asked: sent }) => ended || sent, timeoutMs: RESOLVED_MS },
  )
  if (hasEnded(await command())) return
  await run.cancel().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  })
  await until('the command is flagged', command, { holds: (row) => row.needs_attention })
  const applied = testbed.engines[adapter].ledger.effects.some((one) => one.ref === reference && one.kind !== 'upload')
  const as = applied ? 'succeeded' : 'failed'
  const { command_id: jobId } = await command()
  await until(
    'the job is resolved',
    () =>
      resolveJob(db, { jobId, as, reason: 'seen at the PSP', operator: 'torture' }).then(
        () => null,
        (error: Error) => error,
      ),
    { holds: (refused) => refused === null, timeoutMs: RESOLVED_MS },
  )
}
