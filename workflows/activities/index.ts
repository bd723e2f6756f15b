import { acceptAtPsp, flagForOperators, recordAcceptance, recordRefusal } from './acceptance.ts'
import type { ActivityDeps } from './deps.ts'
import { compareWithPsp } from './drift.ts'
import { enrichChargebacks } from './enriching.ts'
import {
  drainOutbox,
  reconcileSchedules,
  reconcileVerifications,
  settleCommands,
  sweepDeadlines,
  triggerQuietPolls,
} from './operations.ts'
import { ingestPages } from './polling.ts'
import { checkCredentials, recordRefusedCredential } from './verification.ts'

/** Every activity, over what this process has: all I/O of the workflows. */
export function createActivities(deps: ActivityDeps) {
  const bound =
    <Input, Result>(activity: (deps: ActivityDeps, input: Input) => Promise<Result>) =>
    (input: Input) =>
      activity(deps, input)
  return {
    acceptAtPsp: bound(acceptAtPsp),
    recordAcceptance: bound(recordAcceptance),
    recordRefusal: bound(recordRefusal),
    flagForOperators: bound(flagForOperators),
    ingestPages: bound(ingestPages),
    enrichChargebacks: bound(enrichChargebacks),
    compareWithPsp: bound(compareWithPsp),
    checkCredentials: bound(checkCredentials),
    recordRefusedCredential: bound(recordRefusedCredential),
    drainOutbox: () => drainOutbox(deps),
    reconcileSchedules: () => reconcileSchedules(deps),
    reconcileVerifications: () => reconcileVerifications(deps),
    triggerQuietPolls: () => triggerQuietPolls(deps),
    settleCommands: () => settleCommands(deps),
    sweepDeadlines: () => sweepDeadlines(deps),
  }
}

export type Activities = ReturnType<typeof createActivities>
