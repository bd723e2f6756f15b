import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { AcceptChargebackInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'
import { runCommand } from './command-run.ts'

/** Accepts one chargeback at its PSP. */
export async function acceptChargeback(input: AcceptChargebackInput): Promise<{ probe: string; sent: boolean }> {
  const { acceptanceId, pace } = input
  const { acceptAtPsp } = wf.proxyActivities<Pick<Activities, 'acceptAtPsp'>>(
    profiles.command(input, `probe, accept, confirm at ${input.psp}`),
  )
  const { recordAcceptance } = wf.proxyActivities<Pick<Activities, 'recordAcceptance'>>(profiles.projection(pace))
  const doing = `accepting chargeback ${input.chargebackId} at ${input.psp}`
  return runCommand({ commandId: acceptanceId, pace, doing }, async () => {
    const { probe, sent } = await acceptAtPsp({ acceptanceId })
    await recordAcceptance({ acceptanceId })
    const details = sent ? 'accepted and confirmed by a re-read' : 'was accepted already, nothing was sent'
    return { outcome: { probe, sent }, details }
  })
}
