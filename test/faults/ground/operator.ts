import { WorkflowNotFoundError } from '@temporalio/client'
import { resolveJob } from '../../../db/commands/jobs.ts'
import { latestRunOf } from '../../harness/runs.ts'
import { until } from '../../harness/until.ts'
import type { Dispute, Ground } from './prepare.ts'

/** Beyond the time for which a call without an answer counts as under way. */
const RESOLVED_MS = 240_000

/**
 * An operator looks at the PSP's dashboard for a command whose outcome the PSP does not tell by its interface: the run is
 * cancelled in the Temporal UI, and the job is resolved by what the PSP has. Nothing is done for a command that ends by
 * itself before its run says that a person has to look.
 */
export async function resolveByDashboard(ground: Ground, { adapter, reference, chargebackId }: Dispute): Promise<void> {
  const { db, temporal } = ground.stack
  const command = () =>
    db
      .selectFrom('command')
      .select(['command_id', 'status', 'needs_attention'])
      .where('chargeback_id', '=', chargebackId)
      .executeTakeFirstOrThrow()
  const run = temporal.workflow.getHandle(await latestRunOf(db, chargebackId))
  const hasEnded = ({ status }: { status: string }) => status === 'succeeded' || status === 'failed'
  const told = async () => {
    const { raw } = await run.describe()
    return (raw.pendingActivities ?? []).some(({ lastFailure }) =>
      /Customer Area|dashboard/.test(lastFailure?.message ?? ''),
    )
  }
  await until(
    'the command ends, or its run sends the operator to the dashboard',
    async () => ({
      ended: hasEnded(await command()),
      told: await told(),
    }),
    { holds: ({ ended, told: sent }) => ended || sent, timeoutMs: RESOLVED_MS },
  )
  if (hasEnded(await command())) return
  await run.cancel().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  })
  await until('the command is flagged', command, { holds: (row) => row.needs_attention })
  const applied = ground.engines[adapter].ledger.effects.some((one) => one.ref === reference && one.kind !== 'upload')
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
