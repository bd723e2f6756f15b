import { acceptAtPsp, flagForOperators, recordAcceptance, recordRefusal } from './commands/acceptance.ts'
import { draftEvidencePlan } from './commands/drafting.ts'
import { planEvidence } from './commands/planning.ts'
import { reconcileCommands } from './commands/reconcile-commands.ts'
import { recordSubmission, stageAtPsp, submitAtPsp, uploadFile } from './commands/submission.ts'
import type { ActivityDeps } from './deps.ts'
import { submitAutomatically } from './evidence/automatic.ts'
import { buildPackage, refusePackage, startPackages } from './evidence/building.ts'
import {
  beginDeactivation,
  finishDeactivation,
  moveDeactivated,
  reconcileDeactivations,
} from './integrations/deactivation.ts'
import { eraseSubject, listErased, reconcileRemovals, recordRemoval } from './integrations/removal.ts'
import { rotateSecret } from './integrations/rotation.ts'
import { reconcileScopeRuns, reevaluateSlice } from './integrations/scope.ts'
import { checkCredentials, recordRefusedCredential } from './integrations/verification.ts'
import { drainOutbox, expireRows, reconcileVerifications, sweepDeadlines } from './operations.ts'
import { compareWithPsp } from './polling/drift.ts'
import { pollDue } from './polling/due.ts'
import { enrichChargebacks } from './polling/enriching.ts'
import { mendJoins } from './polling/joins.ts'
import { ingestPages } from './polling/polling.ts'
import { applyRawData, reconcileIngestions } from './polling/raw-data.ts'
import { scheduleReconciler, triggerQuietPolls } from './polling/schedules.ts'

/** All activities, with this process' dependencies: all I/O of the workflows. */
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
    planEvidence: bound(planEvidence),
    draftEvidencePlan: bound(draftEvidencePlan),
    uploadFile: bound(uploadFile),
    stageAtPsp: bound(stageAtPsp),
    submitAtPsp: bound(submitAtPsp),
    recordSubmission: bound(recordSubmission),
    beginDeactivation: bound(beginDeactivation),
    moveDeactivated: bound(moveDeactivated),
    finishDeactivation: bound(finishDeactivation),
    ingestPages: bound(ingestPages),
    enrichChargebacks: bound(enrichChargebacks),
    pollDue: bound(pollDue),
    applyRawData: bound(applyRawData),
    compareWithPsp: bound(compareWithPsp),
    listErased: bound(listErased),
    eraseSubject: bound(eraseSubject),
    recordRemoval: bound(recordRemoval),
    reconcileRemovals: () => reconcileRemovals(deps),
    checkCredentials: bound(checkCredentials),
    recordRefusedCredential: bound(recordRefusedCredential),
    rotateSecret: bound(rotateSecret),
    reevaluateSlice: bound(reevaluateSlice),
    drainOutbox: () => drainOutbox(deps),
    reconcileSchedules: scheduleReconciler(deps),
    reconcileVerifications: () => reconcileVerifications(deps),
    triggerQuietPolls: () => triggerQuietPolls(deps),
    // Recorded histories have this name.
    settleCommands: () => reconcileCommands(deps),
    sweepDeadlines: () => sweepDeadlines(deps),
    mendJoins: () => mendJoins(deps),
    reconcileIngestions: () => reconcileIngestions(deps),
    reconcileScopeRuns: () => reconcileScopeRuns(deps),
    reconcileDeactivations: () => reconcileDeactivations(deps),
    expireRows: () => expireRows(deps),
    startPackages: () => startPackages(deps),
    buildPackage: bound(buildPackage),
    refusePackage: bound(refusePackage),
    submitAutomatically: () => submitAutomatically(deps),
  }
}

export type Activities = ReturnType<typeof createActivities>
