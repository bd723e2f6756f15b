import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { COMMAND_STATES, DUE_SOON, type Pace, SEARCH_ATTRIBUTES } from '../contract.ts'
import * as profiles from './activity-profiles.ts'
import { definiteFailure, ended } from './verdict.ts'

/** Sent by the reconciler when the PSP's due date is near and the command still open. */
export const dueSoon = wf.defineSignal(DUE_SOON)

/**
 * Runs the steps of a command at a PSP. A definite refusal fails the workflow, so that the client's next attempt can
 * start. An outcome that is unknown at the deadline fails the workflow too, and flags the command, whose status stays
 * open. A cancellation by an operator cancels the workflow and flags the command, which is not restarted.
 */
export async function runCommand<Outcome>(
  { commandId, pace, doing }: { commandId: string; pace: Pace; doing: string },
  steps: () => Promise<{ outcome: Outcome; details: string }>,
): Promise<Outcome> {
  const record = wf.proxyActivities<Pick<Activities, 'recordRefusal' | 'flagForOperators'>>(profiles.projection(pace))
  let over = false
  wf.setHandler(dueSoon, () => {
    if (!over) show(COMMAND_STATES.dueSoon, `${doing}: the due date is near`)
  })
  const end = (state: string, details: string) => {
    over = true
    show(state, details)
  }
  show(COMMAND_STATES.inProgress, doing)
  try {
    const { outcome, details } = await steps()
    end(COMMAND_STATES.succeeded, details)
    return outcome
  } catch (error) {
    const refusal = definiteFailure(error)
    const stopped = wf.CancellationScope.current().consideredCancelled
    return wf.CancellationScope.nonCancellable(async () => {
      if (!refusal && stopped) {
        await record.flagForOperators({ commandId, reason: 'stopped by an operator' })
        end(COMMAND_STATES.needsAttention, 'stopped by an operator; the reconciler reads whether it was applied before')
        throw new wf.CancelledFailure('stopped by an operator')
      }
      if (!refusal) {
        await record.flagForOperators({ commandId, reason: 'the outcome is not known yet' })
        end(COMMAND_STATES.needsAttention, 'the outcome is not known yet; the reconciler goes on reading')
        throw ended('OutcomeUnknown', 'the outcome at the PSP is not known yet')
      }
      // Histories of earlier versions have no result here.
      const recorded: { ended: boolean } | undefined = await record.recordRefusal({ commandId, ...refusal })
      if (recorded?.ended === false)
        end(COMMAND_STATES.needsAttention, `refused (${refusal.message}), while an earlier call is open`)
      else end(COMMAND_STATES.failed, refusal.message)
      throw ended(refusal.kind, refusal.message)
    })
  }
}

function show(state: string, details: string): void {
  wf.upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.CommandState, value: state }])
  wf.setCurrentDetails(details)
}
