import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { VerifyIntegrationInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

const LONGEST_PAUSE_MS = 12 * 60 * 60 * 1000

/** Requests a check now, from an operator, or from a client who has corrected a permission. */
export const verifyNow = wf.defineSignal('verifyNow')

/**
 * Checks a credential until the PSP accepts it or the integration is deactivated. A network error is no result: the
 * activity retries and the integration stays PENDING. A refused credential is checked again with growing pauses.
 */
export async function verifyIntegration(input: VerifyIntegrationInput): Promise<{ status: string }> {
  let asked = false
  wf.setHandler(verifyNow, () => {
    asked = true
  })
  const { checkCredentials } = wf.proxyActivities<Pick<Activities, 'checkCredentials'>>(
    profiles.credentialCheck(input.pace, `check the credential at ${input.source}`),
  )
  for (let pause = input.pace.recheckMs; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    asked = false
    wf.setCurrentDetails(`checking the credential at ${input.source}`)
    const verdict = await checkCredentials({ integrationId: input.integrationId })
    wf.setCurrentDetails(verdict.reason ? `${verdict.status}: ${verdict.reason}` : verdict.status)
    if (verdict.status !== 'FAILED') return { status: verdict.status }
    await wf.condition(() => asked, pause)
    if (wf.workflowInfo().continueAsNewSuggested) await wf.continueAsNew<typeof verifyIntegration>(input)
  }
}
