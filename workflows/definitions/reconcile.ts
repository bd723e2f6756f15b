import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import * as profiles from './activity-profiles.ts'

const operations = wf.proxyActivities<
  Pick<
    Activities,
    | 'reconcileSchedules'
    | 'reconcileVerifications'
    | 'triggerQuietPolls'
    | 'settleCommands'
    | 'sweepDeadlines'
    | 'mendJoins'
    | 'reconcileDeactivations'
    | 'reconcileIngestions'
    | 'reconcileScopeRuns'
    | 'reconcileRemovals'
    | 'drainOutbox'
    | 'expireRows'
    | 'startPackages'
    | 'submitAutomatically'
  >
>(profiles.reconciliation)

type Step = [name: string, run: () => Promise<number>]

/** Reconciles Temporal with the rows, whatever was wiped, terminated or lost. Every step is bounded and repeatable. */
export async function reconcile(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const steps: Step[] = [
    ['outbox', () => operations.drainOutbox()],
    ['schedules', () => operations.reconcileSchedules()],
    ['verifications', () => operations.reconcileVerifications()],
    ['polls', () => operations.triggerQuietPolls()],
    ['commands', () => operations.settleCommands()],
    ['deadlines', () => operations.sweepDeadlines()],
    ['joins', () => operations.mendJoins()],
    ['deactivations', () => operations.reconcileDeactivations()],
    ['ingestions', () => operations.reconcileIngestions()],
    ['scopes', () => operations.reconcileScopeRuns()],
    ['removals', () => operations.reconcileRemovals()],
    // Older histories have no such step.
    ...(wf.patched('expired rows') ? [['expired', () => operations.expireRows()] as Step] : []),
    ...(wf.patched('evidence packages')
      ? [
          ['automatic', () => operations.submitAutomatically()] as Step,
          ['packages', () => operations.startPackages()] as Step,
        ]
      : []),
  ]
  for (const [name, step] of steps) {
    try {
      counts[name] = await step()
    } catch (error) {
      if (wf.isCancellation(error)) throw error
      // The other steps do not depend on this one, and the next run follows within seconds.
      counts[name] = -1
    }
  }
  wf.setCurrentDetails(
    Object.entries(counts)
      .map(([name, count]) => `${name}: ${count < 0 ? 'failed, see the history' : `${count} mended`}`)
      .join('\n\n'),
  )
  return counts
}
