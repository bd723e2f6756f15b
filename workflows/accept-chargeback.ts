import * as wf from '@temporalio/workflow'
import type { Activities } from './activities/index.ts'
import { type AcceptChargebackInput, QUEUES, SEARCH_ATTRIBUTES } from './contract.ts'
import { definiteFailure, ended } from './verdict.ts'

/** A projection is one transaction: longer than this its worker is gone. */
const RECORD_MS = 15_000

/**
 * Accepts one chargeback at its PSP. A definite refusal ends the run as failed, so that the client's next attempt can
 * start; an outcome that nobody knows by the deadline ends it as failed too, flagged, and never calls the acceptance failed.
 */
export async function acceptChargeback(input: AcceptChargebackInput): Promise<{ probe: string; sent: boolean }> {
  const { acceptAtPsp } = wf.proxyActivities<Pick<Activities, 'acceptAtPsp'>>({
    taskQueue: QUEUES.commands,
    startToCloseTimeout: input.pace.commandMs,
    scheduleToCloseTimeout: Math.max(1_000, Date.parse(input.deadline) - Date.now()),
    retry: { initialInterval: input.pace.retryMs, backoffCoefficient: 2, maximumInterval: '10m' },
    priority: { priorityKey: 1, fairnessKey: input.integrationId },
    summary: `probe, accept, confirm at ${input.psp}`,
  })
  const record = wf.proxyActivities<Pick<Activities, 'recordAcceptance' | 'recordRefusal' | 'flagForOperators'>>({
    taskQueue: QUEUES.records,
    startToCloseTimeout: Math.min(RECORD_MS, input.pace.commandMs),
  })
  wf.upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.CommandState, value: 'inProgress' }])
  wf.setCurrentDetails(`accepting chargeback ${input.chargebackId} at ${input.psp}`)
  try {
    const outcome = await acceptAtPsp({ acceptanceId: input.acceptanceId })
    await record.recordAcceptance({ acceptanceId: input.acceptanceId })
    end('succeeded', outcome.sent ? 'accepted and confirmed by a re-read' : 'was accepted already, nothing was sent')
    return { probe: outcome.probe, sent: outcome.sent }
  } catch (error) {
    const refusal = definiteFailure(error)
    return wf.CancellationScope.nonCancellable(async () => {
      if (!refusal) {
        await record.flagForOperators({ commandId: input.acceptanceId, reason: 'the outcome is not known yet' })
        end('needs_attention', 'the outcome is not known yet; the reconciler goes on reading')
        throw ended('OutcomeUnknown', 'the outcome at the PSP is not known yet')
      }
      await record.recordRefusal({ commandId: input.acceptanceId, ...refusal })
      end('failed', refusal.message)
      throw ended(refusal.kind, refusal.message)
    })
  }
}

function end(state: string, details: string): void {
  wf.upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.CommandState, value: state }])
  wf.setCurrentDetails(details)
}
