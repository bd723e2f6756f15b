import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { RotateSecretInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/**
 * Tries a new secret at the PSP and puts it in the place of the old one, for a client that waits. Nothing follows from a
 * run that comes too late: the candidate was withdrawn by then.
 */
export async function rotateSecret({ rotationId, psp }: RotateSecretInput): Promise<{ outcome: string }> {
  const activities = wf.proxyActivities<Pick<Activities, 'rotateSecret'>>(
    profiles.secretRotation(`check the new secret at ${psp}, then replace the old one`),
  )
  const result = await activities.rotateSecret({ rotationId })
  wf.setCurrentDetails(result.outcome)
  return result
}
