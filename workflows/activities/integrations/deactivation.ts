import { Context } from '@temporalio/activity'
import { recomputeChargebacks } from '../../../db/chargebacks/recompute.ts'
import { enqueue } from '../../../db/core/outbox.ts'
import { seal, sealContext } from '../../../db/core/seal.ts'
import { eraseSecret, needlessSecrets, unfinishedDeactivations } from '../../../db/integrations/deactivation-sweeps.ts'
import {
  beginDeactivation as begin,
  type Deactivated,
  deactivatedIntegrations,
  finishDeactivation as finish,
  readDeactivationPlan,
} from '../../../db/integrations/deactivations.ts'
import { type DeactivationDate, type DeactivationPlace, deactivationWorkflowId } from '../../contract.ts'
import type { ActivityDeps } from '../deps.ts'
import { runState } from '../operations.ts'

/** A step returns after this time, so that progress is visible. */
const STEP_MS = 30_000
/** Rows per step of the sweep; the next run follows within seconds. */
const SLICE = 100

/** Applies the deactivation if the row's date has passed. A deleted row needs nothing. */
export async function beginDeactivation(
  deps: ActivityDeps,
  which: Deactivated,
): Promise<{ reached: true } | { reached: false; date: DeactivationDate }> {
  const plan = await begin(deps.db, which)
  if (!plan || plan.reachedAt) return { reached: true }
  return { reached: false, date: { effectiveAt: plan.date.toISOString(), revision: plan.revision } }
}

/**
 * Decides the chargebacks of the deactivated merchant or integration again, by the database's clock, in slices for
 * about `STEP_MS`.
 */
export async function moveDeactivated(
  deps: ActivityDeps,
  { place, ...which }: Deactivated & { place: DeactivationPlace },
): Promise<{ moved: number; next: DeactivationPlace | null }> {
  const started = Date.now()
  const plan = await readDeactivationPlan(deps.db, which)
  if (!plan?.reachedAt) return { moved: 0, next: null }
  const how = { now: plan.reachedAt, source: 'deactivation', cause: { [`${which.kind}Revision`]: plan.revision } }
  let moved = 0
  let { after } = place
  for (const integrationId of await deactivatedIntegrations(deps.db, which, place.integrationId)) {
    do {
      if (Date.now() - started > STEP_MS) return { moved, next: { integrationId, after } }
      const slice = await recomputeChargebacks(deps.db, { integrationId, after }, how)
      moved += slice.moved
      after = slice.next
    } while (after !== null)
  }
  return { moved, next: null }
}

export const finishDeactivation = (deps: ActivityDeps, which: Deactivated): Promise<void> => finish(deps.db, which)

/** Starts missing workflow runs of deactivations, and erases secrets that are no longer needed. */
export async function reconcileDeactivations(deps: ActivityDeps): Promise<number> {
  let mended = 0
  for (const which of await unfinishedDeactivations(deps.db, SLICE)) {
    if ((await runState(deps, deactivationWorkflowId(which))) === 'RUNNING') continue
    await enqueue(deps.db, { kind: 'deactivate', payload: { kind: which.kind, id: which.id } })
    mended++
  }
  for (const { integrationId, merchantUuid, source } of await needlessSecrets(deps.db, SLICE)) {
    const context = sealContext.integrationSecret({ integrationId, merchantUuid, source })
    await eraseSecret(deps.db, integrationId, seal(deps.ring, '{}', context))
    mended++
  }
  Context.current().heartbeat()
  return mended
}
