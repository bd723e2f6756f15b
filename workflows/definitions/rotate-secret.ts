import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { RotateSecretInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/**
 * Checks a new secret at the PSP and replaces the old one, for a waiting client. A late run has no effect, because the
 * candidate was withdrawn by then.
 */
export async function rotateSecret({ rotationId, psp }: RotateSecretInput): Promise<{ outcome: string }> {
  const activities = wf.proxyActivities<Pick<Activities, 'rotateSecret'>>(
    profiles.secretRotation(`check the new secret at ${psp}, then replace the old one`),
  )
  const result = await activities.rotateSecret({ rotationId })
  wf.setCurrentDetails(result.outcome)
  return result
}
