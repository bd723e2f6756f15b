import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { QUEUES, type RotateSecretInput } from '../contract.ts'

/** One try: a worker that died holds up the next one for this long. */
const TRY_MS = 8_000
/** The client waits for 20 s (ROTATION_SECONDS); after that the candidate is gone. */
const PATIENCE_MS = 19_000

/**
 * Tries a new secret at the PSP and puts it in the place of the old one, for a client that waits. Nothing follows from a
 * run that comes too late: the candidate was withdrawn by then.
 */
export async function rotateSecret({ rotationId, psp }: RotateSecretInput): Promise<{ outcome: string }> {
  const activities = wf.proxyActivities<Pick<Activities, 'rotateSecret'>>({
    taskQueue: QUEUES.commands,
    startToCloseTimeout: TRY_MS,
    scheduleToCloseTimeout: PATIENCE_MS,
    retry: { initialInterval: '300ms', backoffCoefficient: 2, maximumInterval: '3s' },
    priority: { priorityKey: 2 },
    summary: `check the new secret at ${psp}, then replace the old one`,
  })
  const result = await activities.rotateSecret({ rotationId })
  wf.setCurrentDetails(result.outcome)
  return result
}
